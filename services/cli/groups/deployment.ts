import type { Command } from "commander"
import { findStampingKey, type StampOptions } from "../api-options.ts"
import { requireOrganization } from "../commands/request.ts"
import type { SecretToSeal } from "../commands/seal.ts"
import { printResult } from "../terminal.ts"
import { as, type CommandContext, common, stampingClient } from "./options.ts"

type VerifyOptions = StampOptions & { bootProof?: string; pins?: readonly string[]; codeDigest?: string }

/** Commands that rely on the pins of the trusted deployment: `seal` and `verify`. */
export function addDeploymentCommands(program: Command, context: CommandContext): void {
  addSealCommands(program, context)
  addVerifyCommand(program, context)
}

function addSealCommands(program: Command, { settings, terminal }: CommandContext): void {
  const seal = program.command("seal").description("seal secrets to the pinned deployment")
  const sealing = (
    command: string,
    description: string,
    sealed: (secret: SecretToSeal) => Promise<{ [member: string]: string }>,
  ) => {
    as(common(seal.command(`${command} <file>`).description(description)))
      .option("--pins <file>", "pins of the trusted deployment; by default those of the profile")
      .action(async (file: string, options: StampOptions & { pins?: string }) => {
        const organizationId =
          options.organization ?? (await findStampingKey(options, settings())).organizationId
        const result = await sealed({
          file,
          organizationId: requireOrganization(organizationId),
          pinsFile: options.pins ?? settings().pinsFile,
        })
        if (options.json) printResult(terminal, result, options)
        else Object.values(result).forEach(terminal.print)
      })
  }
  sealing(
    "client-secret",
    "seal an OAuth 2.0 client secret for one organization; - for standard input",
    async (secret) => {
      const { sealClientSecret } = await import("../commands/seal.ts")
      return { encryptedClientSecret: await sealClientSecret(secret) }
    },
  )
  sealing(
    "on-ramp-key",
    "seal a key of an on-ramp provider for one organization; - for standard input",
    async (secret) => {
      const { sealOnRampKey } = await import("../commands/seal.ts")
      return { encryptedApiKey: await sealOnRampKey(secret) }
    },
  )
}

function addVerifyCommand(program: Command, { settings, terminal }: CommandContext): void {
  const verify = program.command("verify").description("verify against the pins")
  as(
    common(
      verify
        .command("proof <file>")
        .description("list what an activity's app proofs prove; - for standard input"),
    ),
  )
    .option("--boot-proof <file>", "boot proof of the signing process; by default fetched from the API")
    .option("--pins <file>", "pins of the trusted deployment, today's first; repeatable", collect)
    .option("--code-digest <hex>", "expected digest of the signer's code")
    .action(async (file: string, options: VerifyOptions) => {
      const { pinsFile } = settings()
      const { bootProof, codeDigest, json } = options
      const files = {
        file,
        pins: options.pins,
        pinsFile,
        ...(bootProof !== undefined && { bootProof }),
        ...(codeDigest !== undefined && { codeDigest }),
        ...(json !== undefined && { json }),
      }
      const { verifyProof } = await import("../commands/verify-proof.ts")
      await verifyProof(files, () => stampingClient(options, settings()), terminal)
    })
}

/** Values of an option that can be repeated. */
function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
