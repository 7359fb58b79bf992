import type { PreviewOptions } from "../commands/preview-template.ts"
import { command, type Declaration, stamped } from "./command.ts"

/** `policy test`, `check`, `simulate` and `replay`. */
export const policies: readonly Declaration[] = [
  command<object, [file: string]>({
    words: "policy test <file>",
    about: "decide the cases of a test file (docs/policy-tests.md)",
    shared: "json",
    examples: ["policy test examples/policies/treasury.json"],
    run: async ({ options, terminal }, file) =>
      (await import("../commands/policy.ts")).testPolicies(file, options, terminal),
  }),
  command<object, [file: string]>({
    words: "policy check <file>",
    about: "list expressions that would be refused, and likely mistakes",
    shared: "json",
    examples: ["policy check examples/policies/treasury.json"],
    run: async ({ options, terminal }, file) =>
      (await import("../commands/policy.ts")).checkPolicies(file, options, terminal),
  }),
  command({
    words: "policy simulate",
    about: "say how the policies would decide a request, without sending it; advice of the API",
    options: [
      ["--type <type>", "type of the activity, such as sign_raw_payload_v2", { required: true }],
      ["--parameters <json>", "its parameters", { required: true }],
      ["--by <name>", "user who submits it; by default the user of the key"],
      ["--approver <name>", "user who approves it; repeatable", { repeatable: true }],
      ["--file <file>", "policies to try, beside those of the organization (docs/policy-tests.md)"],
      ["--only-file", "try only the policies of the file"],
    ],
    shared: "stamp",
    examples: [
      `policy simulate --type create_wallet --parameters '{"walletName":"A","accounts":[]}' --by alice --approver bob`,
    ],
    run: stamped(async () => (await import("../commands/policy-trial.ts")).simulate),
  }),
  command({
    words: "policy replay <file>",
    about: "say which recent activities the policies of a file would decide otherwise; advice of the API",
    options: [
      ["--limit <number>", "number of activities at most; by default 50"],
      ["--after <activity>", "begin after this activity, where an interrupted command stopped"],
    ],
    shared: "stamp",
    examples: ["policy replay examples/policies/treasury.json"],
    run: stamped(async () => (await import("../commands/policy-trial.ts")).replay),
  }),
]

/** `email-template preview`. The other commands of templates are those of every resource. */
export const templatePreview: Declaration = command<PreviewOptions, [name?: string]>({
  words: "email-template preview [name]",
  about: "show a mail with a sample code, of a template of the organization or of files; sends nothing",
  options: [
    ["--html <file>", "file of the HTML body of a template that does not exist yet"],
    ["--text <file>", "file of its plain text body"],
    ["--subject <text>", "its subject"],
    ["--app-name <name>", "name of the application that a request gives"],
    ["--logo-url <url>", "address of a picture that a request gives"],
    ["--magic-link-template <url>", "link that a request gives, with %s in place of the code"],
    ["--template-variables <json>", "variables that a request gives, a JSON object of texts"],
    ["--out <file>", "new file for the HTML, to look at in a browser"],
  ],
  shared: "stamp",
  examples: ["email-template preview codes", "email-template preview --html code.html --out preview.html"],
  run: async ({ options, stamping, terminal }, name) => {
    const { previewTemplate, storedTemplate } = await import("../commands/preview-template.ts")
    const stored = name === undefined ? undefined : await storedTemplate(name, options, await stamping())
    await previewTemplate(stored, options, terminal)
  },
})
