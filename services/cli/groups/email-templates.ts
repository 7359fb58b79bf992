import type { Command } from "commander"
import type { StampOptions } from "../api-options.ts"
import type { PreviewOptions } from "../commands/preview-template.ts"
import { as, type CommandContext, common, examples, stampingOf, subcommand } from "./options.ts"

/** `email-template preview`. The other commands of templates are those of every resource. */
export function addEmailTemplateCommands(program: Command, context: CommandContext): void {
  const parent = subcommand(program, "email-template", "templates of mails with one-time codes")
  examples(
    as(
      common(
        parent
          .command("preview [name]")
          .description(
            "show a mail with a sample code, of a template of the organization or of files; sends nothing",
          )
          .option("--html <file>", "file of the HTML body of a template that does not exist yet")
          .option("--text <file>", "file of its plain text body")
          .option("--subject <text>", "its subject")
          .option("--app-name <name>", "name of the application that a request gives")
          .option("--logo-url <url>", "address of a picture that a request gives")
          .option("--magic-link-template <url>", "link that a request gives, with %s in place of the code")
          .option("--template-variables <json>", "variables that a request gives, a JSON object of texts")
          .option("--out <file>", "new file for the HTML, to look at in a browser"),
      ),
    ),
    ["email-template preview codes", "email-template preview --html code.html --out preview.html"],
  ).action(async (name: string | undefined, options: StampOptions & PreviewOptions) => {
    const { previewTemplate, storedTemplate } = await import("../commands/preview-template.ts")
    const stored =
      name === undefined ? undefined : await storedTemplate(name, options, await stampingOf(options, context))
    await previewTemplate(stored, options, context.terminal)
  })
}
