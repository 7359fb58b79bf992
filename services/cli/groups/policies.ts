import type { Command } from "commander"
import { type CommandContext, subcommand } from "./options.ts"

/** `policy test` and `policy check`. */
export function addPolicyCommands(program: Command, { terminal }: CommandContext): void {
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
}
