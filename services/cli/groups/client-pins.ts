import { resolve } from "node:path"
import type { Command } from "commander"
import { type ApiOptions, clientOf } from "../api-options.ts"
import type { AppliedPins } from "../commands/pins-apply.ts"
import { printResult } from "../terminal.ts"
import { type CommandContext, common, examples } from "./options.ts"

type ApplyOptions = { project: string; pins?: string; undo?: boolean; dryRun?: boolean; json?: boolean }

type CheckOptions = ApiOptions & { pins?: string }

type ShowOptions = CheckOptions & { qr?: boolean }

/** The text of a QR code of pins. */
const digestText = (digest: string) => `sha256:${digest}`

/** `pins show`, `pins check` and `pins apply`. */
export function addClientPinsCommands(program: Command, { settings, terminal }: CommandContext): void {
  const pins = program.command("pins").description("public keys of the trusted deployment")
  examples(
    pins
      .command("show")
      .description("print the pins that this profile trusts, and their digest")
      .option(
        "--pins <file>",
        "pins of the trusted deployment; by default those of the profile; - for standard input",
      )
      .option("--qr", "draw the digest as a QR code, for a person with a phone")
      .option("--profile <name>", "profile; by default the active one (countersign profile list)")
      .option("--json", "print the result on one line"),
    ["pins show", "pins show --qr"],
  ).action(async (options: ShowOptions) => {
    const [{ membersOf, readTrustedPins }, { pinsDigest }] = await Promise.all([
      import("../pins.ts"),
      import("../../../signer/core/proof/verify/trusted-pins.ts"),
    ])
    const trusted = await readTrustedPins(options.pins ?? settings().pinsFile)
    const digest = pinsDigest(trusted)
    if (options.qr) {
      const { renderUnicodeCompact } = await import("uqr")
      // Readers of plain text show it as it is: it compares with what `pins show` prints elsewhere.
      for (const line of renderUnicodeCompact(digestText(digest), { border: 2 }).split("\n"))
        terminal.log(line)
    }
    printResult(terminal, { digest, pins: membersOf(trusted) }, options)
  })
  examples(
    common(
      pins.command("check").description("compare the pins that this profile trusts with those of the API"),
    ).option("--pins <file>", "pins of the trusted deployment; by default those of the profile"),
    ["pins check"],
  ).action(async (options: CheckOptions) => {
    const { comparePins } = await import("../commands/doctor.ts")
    const client = clientOf(options, settings())
    const sentence = await comparePins(client, options.pins ?? settings().pinsFile)
    if (options.json) printResult(terminal, { same: true }, options)
    else terminal.print(sentence)
  })
  pins
    .command("apply")
    .description("put the deployment's public keys into the client packages of a project (docs/clients.md)")
    .option("--project <directory>", "folder of the project's package.json", ".")
    .option("--pins <file>", "pins of the trusted deployment; by default those of the profile")
    .option("--undo", "put the published keys back")
    .option("--dry-run", "verify and list, and change nothing")
    .option("--json", "print the result on one line")
    .action(async (options: ApplyOptions) => {
      const { applyPins } = await import("../commands/pins-apply.ts")
      const { project, pins: pinsFile = settings().pinsFile, undo = false, dryRun = false } = options
      const applied = await applyPins({ project: resolve(project), pinsFile, undo, dryRun })
      if (options.json) printResult(terminal, applied, options)
      else linesOf(applied, dryRun).forEach(terminal.print)
    })
}

function linesOf({ packages }: AppliedPins, dryRun: boolean): string[] {
  const verb = dryRun ? "would change" : "changed"
  return packages.map(({ folder, version, changed }) => {
    const done = changed.length === 0 ? "has these keys already" : `${verb} ${changed.length} files`
    return `${folder} ${version}: ${done}`
  })
}
