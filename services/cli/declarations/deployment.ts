import { resolve } from "node:path"
import { counted } from "../../../signer/core/counted.ts"
import { clientOf, findStampingKey, requireOrganization } from "../api-options.ts"
import type { AppliedPins } from "../commands/pins-apply.ts"
import { printEither, printResult } from "../../terminal-client/terminal.ts"
import type { MoveOptions } from "../moving/move.ts"
import {
  command,
  type Declaration,
  type OptionDeclaration,
  PINS,
  PROFILE,
  stamped,
  stampingOfProfile,
  TO,
} from "./command.ts"

// Commands that rely on the pins of the trusted deployment.

/** `name`: the command, and `member` of its result. */
function sealing(
  name: string,
  about: string,
  member: string,
  seal: "sealClientSecret" | "sealOnRampKey",
): Declaration {
  return command<{ pins?: string }, [file: string]>({
    words: `seal ${name} <file>`,
    about,
    options: [PINS],
    shared: "stamp",
    examples: [`seal ${name} secret.txt`],
    run: async ({ options, settings, terminal }, file) => {
      const organizationId = requireOrganization(
        options.organization ?? (await findStampingKey(options, settings())).organizationId,
      )
      const sealers = await import("../../terminal-client/seal.ts")
      const pinsFile = options.pins ?? settings().pinsFile
      const sealed = await sealers[seal]({ file, organizationId, pinsFile })
      printEither(terminal, options, { [member]: sealed }, [sealed])
    },
  })
}

export const seals: readonly Declaration[] = [
  sealing(
    "client-secret",
    "seal an OAuth 2.0 client secret for one organization; - for standard input",
    "encryptedClientSecret",
    "sealClientSecret",
  ),
  sealing(
    "on-ramp-key",
    "seal a key of an on-ramp provider for one organization; - for standard input",
    "encryptedApiKey",
    "sealOnRampKey",
  ),
]

type VerifyOptions = { pins?: readonly string[]; codeDigest?: string }

const DATED_PINS: OptionDeclaration = [
  "--pins <file>",
  "pins of the trusted deployment, today's first; repeatable",
  { repeatable: true },
]
const SAVE: OptionDeclaration = [
  "--save <file>",
  "write the fetched bundle, to verify it again without a network",
]
const WITNESS: OptionDeclaration = [
  "--witness <key>",
  "key of a witness, NAME+ID+BASE64; repeatable",
  { repeatable: true },
]

type LogVerifyOptions = { pins?: readonly string[]; witness?: readonly string[]; save?: string }

const CODE_DIGEST: OptionDeclaration = ["--code-digest <hex>", "expected digest of the signer's code"]

export const verifications: readonly Declaration[] = [
  command<{ address: string }, [message: string, signature: string]>({
    words: "verify signature <message> <signature>",
    about: "verify a message's signature by EIP-191, as sign message makes it",
    options: [["--address <address>", "account of Ethereum that should have signed", { required: true }]],
    shared: "json",
    examples: ['verify signature "pay the supplier" 0x77c0… --address 0x8A3b…'],
    run: async ({ options, terminal }, message, signature) => {
      const { verifySignature } = await import("../commands/verify-signature.ts")
      verifySignature({ message, signature, address: options.address }, options, terminal)
    },
  }),
  command<VerifyOptions, [paths: string[]]>({
    words: "verify export <path...>",
    about:
      "verify files of exported activities, or folders with them, as countersign-node db prune writes them",
    options: [DATED_PINS, CODE_DIGEST],
    shared: "json",
    examples: ["verify export exports", "verify export exports/activities-000007.jsonl --pins pins.json"],
    run: async ({ options, settings, terminal }, paths) => {
      const { verifyExport } = await import("../commands/verify-export.ts")
      await verifyExport({ pins: undefined, ...options, paths, pinsFile: settings().pinsFile }, terminal)
    },
  }),
  command<VerifyOptions & { bootProof?: string }, [file: string]>({
    words: "verify proof <file>",
    about: "list what an activity's app proofs prove; - for standard input",
    options: [
      ["--boot-proof <file>", "boot proof of the signing process; by default fetched from the API"],
      DATED_PINS,
      CODE_DIGEST,
    ],
    shared: "stamp",
    examples: ["verify proof activity.json", "verify proof activity.json --boot-proof boot-proof.json"],
    run: async ({ options, settings, stamping, terminal }, file) => {
      const { verifyProof } = await import("../commands/verify-proof.ts")
      const files = { pins: undefined, ...options, file, pinsFile: settings().pinsFile }
      await verifyProof(files, stamping, terminal)
    },
  }),
  command<LogVerifyOptions, [activity: string]>({
    words: "verify activity <activity>",
    about: "verify that an activity's decisions are in the signer's log, by its id or by a saved bundle",
    options: [SAVE, WITNESS, DATED_PINS],
    shared: "stamp",
    examples: ["verify activity 0192f0c1-…", "verify activity bundle.jsonl --pins pins.json"],
    run: async ({ options, settings, stamping, terminal }, activity) => {
      const { verifyActivity } = await import("../commands/verify-log.ts")
      await verifyActivity(activity, { ...options, pinsFile: settings().pinsFile }, stamping, terminal)
    },
  }),
  command<LogVerifyOptions & { from?: string; to?: string; since?: string }, [file?: string]>({
    words: "verify audit [file]",
    about: "verify that the signer's log has all decisions of the organization, or verify a saved bundle",
    options: [
      ["--from <time>", "only decisions from this time on, such as 2026-01-31"],
      ["--to <time>", "only decisions up to this time"],
      ["--since <file>", "checkpoint or bundle that you kept: the log must begin with it"],
      SAVE,
      WITNESS,
      DATED_PINS,
    ],
    shared: "stamp",
    examples: [
      "verify audit --from 2026-01-01 --save january.jsonl",
      "verify audit january.jsonl --pins pins.json",
    ],
    run: async ({ options, settings, stamping, terminal }, file) => {
      const { verifyAudit } = await import("../commands/verify-log.ts")
      await verifyAudit(file, { ...options, pinsFile: settings().pinsFile }, stamping, terminal)
    },
  }),
]

/** `verify release`, which needs neither pins nor an API. */
export const releaseVerification: Declaration = command<{ key: string; sums?: string }, [file: string]>({
  words: "verify release <file>",
  about:
    "verify a file of a release, or the folder of an unpacked archive, by signed digests; asks no network",
  options: [
    ["--key <file>", "public key in PEM of who makes the releases", { required: true }],
    ["--sums <file>", "SHA256SUMS of the release; by default beside the file"],
  ],
  shared: "json",
  examples: [
    "verify release countersign-0.1.0-linux-x64.tar.gz --key release.pub",
    "verify release /opt/countersign --key release.pub --sums SHA256SUMS",
  ],
  run: async ({ options, terminal }, file) => {
    const { verifyRelease } = await import("../commands/verify-release.ts")
    await verifyRelease({ ...options, file }, terminal)
  },
})

/** `wallet move` and `private-key move`. */
function moving(word: "wallet" | "private-key", plural: string, example: string): Declaration {
  return command<MoveOptions, [names: string[]]>({
    words: `${word} move [names...]`,
    about: `move ${plural} to another deployment: exported, imported and compared, each secret in memory alone`,
    options: [TO, ["--all", `all ${plural} of the organization`], PINS],
    shared: "change",
    examples: [`${word} move ${example} --to acme`, `${word} move --all --to acme --dry-run`],
    run: async (call, names) => {
      const { moveNamed } = await import("../moving/move.ts")
      const movable =
        word === "wallet"
          ? (await import("../moving/wallets.ts")).wallets
          : (await import("../moving/private-keys.ts")).privateKeys
      const { options, stamping } = call
      await moveNamed(movable, names, options, await stamping(), await stampingOfProfile(options.to, call))
    },
  })
}

/** `wallet import` and `wallet export`, whose bundles only the pinned signer opens and makes. */
export const walletSecrets: readonly Declaration[] = [
  command({
    words: "wallet import <name>",
    about: "import a mnemonic, sealed here to the pinned signer; it is asked for, or read from a file",
    options: [
      [
        "--account <account>",
        "ethereum, solana, bitcoin or tron; :INDEX and :INDEX:NAME may follow; repeatable",
        { repeatable: true },
      ],
      ["--file <file>", "file of the mnemonic; - for standard input or a prompt", { fallback: "-" }],
      PINS,
    ],
    shared: "change",
    examples: [
      "wallet import Recovered --account ethereum",
      "wallet import Recovered --account ethereum --file mnemonic.txt",
    ],
    run: stamped(async () => (await import("../commands/wallet-secrets.ts")).importWallet),
  }),
  command({
    words: "wallet export <name>",
    about: "export a wallet's mnemonic, sealed by the signer to a key of this command",
    options: [
      ["--out <file>", "new file for the mnemonic, mode 0600; - for standard output", { required: true }],
      PINS,
    ],
    shared: "change",
    examples: ["wallet export First --out mnemonic.txt"],
    run: stamped(async () => (await import("../commands/wallet-secrets.ts")).exportWallet),
  }),
  moving("wallet", "wallets", "First Savings"),
  moving("private-key", "private keys", "oracle"),
]

type ApplyOptions = { project: string; pins?: string; undo?: boolean; dryRun?: boolean }

export const pins: readonly Declaration[] = [
  command<{ pins?: string; qr?: boolean }>({
    words: "pins show",
    about: "print the pins that this profile trusts, and their digest",
    options: [
      [PINS[0], `${PINS[1]}; - for standard input`],
      ["--qr", "draw the digest as a QR code, for a person with a phone"],
      PROFILE,
    ],
    shared: "json",
    examples: ["pins show", "pins show --qr"],
    run: async ({ options, settings, terminal }) => {
      const { membersOf, readTrustedPins } = await import("../../terminal-client/pins.ts")
      const { pinsDigest } = await import("../../../signer/core/proof/verify/trusted-pins.ts")
      const trusted = await readTrustedPins(options.pins ?? settings().pinsFile)
      const digest = pinsDigest(trusted)
      if (options.qr) {
        const { renderUnicodeCompact } = await import("uqr")
        // Readers of plain text show it as it is: it compares with what `pins show` prints elsewhere.
        for (const line of renderUnicodeCompact(`sha256:${digest}`, { border: 2 }).split("\n"))
          terminal.log(line)
      }
      printResult(terminal, { digest, pins: membersOf(trusted) }, options)
    },
  }),
  command<{ pins?: string }>({
    words: "pins check",
    about: "compare the pins that this profile trusts with those of the API",
    options: [PINS],
    shared: "call",
    examples: ["pins check"],
    run: async ({ options, settings, terminal }) => {
      const { comparePins } = await import("../commands/doctor.ts")
      const client = clientOf(options, settings())
      const sentence = await comparePins(client, options.pins ?? settings().pinsFile)
      printEither(terminal, options, { same: true }, [sentence])
    },
  }),
  command<ApplyOptions>({
    words: "pins apply",
    about: "put the deployment's public keys into the client packages of a project (docs/clients.md)",
    options: [
      ["--project <directory>", "folder of the project's package.json", { fallback: "." }],
      PINS,
      ["--undo", "put the published keys back"],
      ["--dry-run", "verify and list, and change nothing"],
    ],
    shared: "json",
    examples: ["pins apply --project ../wallet-app --dry-run"],
    run: async ({ options, settings, terminal }) => {
      const { applyPins } = await import("../commands/pins-apply.ts")
      const { project, pins: pinsFile = settings().pinsFile, undo = false, dryRun = false } = options
      const applied = await applyPins({ project: resolve(project), pinsFile, undo, dryRun })
      printEither(terminal, options, applied, linesOf(applied, dryRun))
    },
  }),
]

function linesOf({ packages }: AppliedPins, dryRun: boolean): string[] {
  const verb = dryRun ? "would change" : "changed"
  return packages.map(({ folder, version, changed }) => {
    const done =
      changed.length === 0 ? "has these keys already" : `${verb} ${counted(changed.length, "file")}`
    return `${folder} ${version}: ${done}`
  })
}
