import type { Command } from "commander"
import type { ExportOptions, ImportOptions } from "../commands/wallet-secrets.ts"
import { findStampingKey, type StampOptions } from "../api-options.ts"
import { requireOrganization } from "../commands/request.ts"
import type { SecretToSeal } from "../commands/seal.ts"
import { printResult } from "../terminal.ts"
import {
  as,
  changes,
  type CommandContext,
  common,
  examples,
  stampingClient,
  stampingOf,
  subcommand,
  collect,
} from "./options.ts"

type VerifyOptions = StampOptions & { bootProof?: string; pins?: readonly string[]; codeDigest?: string }

/** Commands that rely on the pins of the trusted deployment: `seal`, `verify`, and `wallet import` and `export`. */
export function addDeploymentCommands(program: Command, context: CommandContext): void {
  addSealCommands(program, context)
  addVerifyCommand(program, context)
  addWalletSecretCommands(program, context)
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

function addVerifyCommand(program: Command, context: CommandContext): void {
  const { settings, terminal } = context
  const verify = program.command("verify").description("verify app proofs, exports and signatures")
  addSignatureCommand(verify, { terminal })
  addExportCommand(verify, context)
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

/** `verify export`: offline. */
function addExportCommand(verify: Command, { settings, terminal }: CommandContext): void {
  examples(
    verify
      .command("export <path...>")
      .description(
        "verify files of exported activities, or folders with them, as countersign-node db prune writes them",
      )
      .option("--pins <file>", "pins of the trusted deployment, today's first; repeatable", collect)
      .option("--code-digest <hex>", "expected digest of the signer's code")
      .option("--json", "print the result on one line"),
    ["verify export exports", "verify export exports/activities-000007.jsonl --pins pins.json"],
  ).action(
    async (paths: string[], options: Pick<VerifyOptions, "pins" | "codeDigest"> & { json?: boolean }) => {
      const { pins, codeDigest, json } = options
      const { verifyExport } = await import("../commands/verify-export.ts")
      await verifyExport({ paths, pins, pinsFile: settings().pinsFile, codeDigest, json }, terminal)
    },
  )
}

/** `verify signature`: offline. */
function addSignatureCommand(verify: Command, { terminal }: Pick<CommandContext, "terminal">): void {
  examples(
    verify
      .command("signature <message> <signature>")
      .description("verify a message's signature by EIP-191, as sign message makes it")
      .requiredOption("--address <address>", "account of Ethereum that should have signed")
      .option("--json", "print the result on one line"),
    ['verify signature "pay the supplier" 0x77c0… --address 0x8A3b…'],
  ).action(async (message: string, signature: string, options: { address: string; json?: boolean }) => {
    const { verifySignature } = await import("../commands/verify-signature.ts")
    verifySignature({ message, signature, address: options.address }, options, terminal)
  })
}

/** `wallet import` and `wallet export`, whose bundles only the pinned signer opens and makes. */
function addWalletSecretCommands(program: Command, context: CommandContext): void {
  const wallet = subcommand(program, "wallet", "wallets")
  const stamping = async (options: StampOptions & { pins?: string }) => ({
    ...(await stampingOf(options, context)),
    pinsFile: options.pins ?? context.settings().pinsFile,
  })
  examples(
    pinned(
      wallet
        .command("import <name>")
        .description(
          "import a mnemonic, sealed here to the pinned signer; it is asked for, or read from a file",
        )
        .option(
          "--account <account>",
          "ethereum, solana, bitcoin or tron; :INDEX and :INDEX:NAME may follow; repeatable",
          collect,
        )
        .option("--file <file>", "file of the mnemonic; - for standard input or a prompt", "-"),
    ),
    [
      "wallet import Recovered --account ethereum",
      "wallet import Recovered --account ethereum --file mnemonic.txt",
    ],
  ).action(async (name: string, options: StampOptions & ImportOptions) => {
    const { importWallet } = await import("../commands/wallet-secrets.ts")
    await importWallet(name, options, await stamping(options))
  })
  examples(
    pinned(
      wallet
        .command("export <name>")
        .description("export a wallet's mnemonic, sealed by the signer to a key of this command")
        .requiredOption("--out <file>", "new file for the mnemonic, mode 0600; - for standard output"),
    ),
    ["wallet export First --out mnemonic.txt"],
  ).action(async (name: string, options: StampOptions & ExportOptions) => {
    const { exportWallet } = await import("../commands/wallet-secrets.ts")
    await exportWallet(name, options, await stamping(options))
  })
}

/** Options of changes, and pins other than those of the profile. */
function pinned(command: Command): Command {
  return changes(
    command.option("--pins <file>", "pins of the trusted deployment; by default those of the profile"),
  )
}
