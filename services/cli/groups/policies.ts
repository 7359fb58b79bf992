import type { Command } from "commander"
import type { StampOptions } from "../api-options.ts"
import type { ReplayOptions, SimulateOptions } from "../commands/policy-trial.ts"
import { as, type CommandContext, collect, common, examples, stampingOf, subcommand } from "./options.ts"

/** `policy test`, `check`, `simulate` and `replay`. */
export function addPolicyCommands(program: Command, context: CommandContext): void {
  const { terminal } = context
  const policy = subcommand(
    program,
    "policy",
    "policies of the organization; files of policies, checked and tested offline",
  )
  policy
    .command("test <file>")
    .description("decide the cases of a test file (docs/policy-tests.md)")
    .option("--json", "print the result on one line")
    .action(async (file: string, options: { json?: boolean }) => {
      const { testPolicies } = await import("../commands/policy.ts")
      await testPolicies(file, options, terminal)
    })
  policy
    .command("check <file>")
    .description("list expressions that would be refused, and likely mistakes")
    .option("--json", "print the result on one line")
    .action(async (file: string, options: { json?: boolean }) => {
      const { checkPolicies } = await import("../commands/policy.ts")
      await checkPolicies(file, options, terminal)
    })
  examples(
    as(
      common(
        policy
          .command("simulate")
          .description("say how the policies would decide a request, without sending it; advice of the API")
          .requiredOption("--type <type>", "type of the activity, such as sign_raw_payload_v2")
          .requiredOption("--parameters <json>", "its parameters")
          .option("--by <name>", "user who submits it; by default the user of the key")
          .option("--approver <name>", "user who approves it; repeatable", collect)
          .option("--file <file>", "policies to try, beside those of the organization (docs/policy-tests.md)")
          .option("--only-file", "try only the policies of the file"),
      ),
    ),
    [
      `policy simulate --type create_wallet --parameters '{"walletName":"A","accounts":[]}' --by alice --approver bob`,
    ],
  ).action(async (options: StampOptions & SimulateOptions) => {
    const { simulate } = await import("../commands/policy-trial.ts")
    await simulate(options, await stampingOf(options, context))
  })
  examples(
    as(
      common(
        policy
          .command("replay <file>")
          .description(
            "say which recent activities the policies of a file would decide otherwise; advice of the API",
          )
          .option("--limit <number>", "number of activities at most; by default 50")
          .option("--after <activity>", "begin after this activity, where an interrupted command stopped"),
      ),
    ),
    ["policy replay examples/policies/treasury.json"],
  ).action(async (file: string, options: StampOptions & ReplayOptions) => {
    const { replay } = await import("../commands/policy-trial.ts")
    await replay(file, options, await stampingOf(options, context))
  })
}
