import { globSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { kernelFiles, linesOf, loadedFiles } from "../loaded-files.ts"
import { ROOT } from "../run.ts"

/** One step of the auditor's reading: files or folders, and what they hold. */
type Step = { paths: readonly string[]; holds: string }

/** The path of one request: who reads it can say who may call, how bytes are read, what is checked, and what reaches a key. */
export const DAY: readonly Step[] = [
  {
    paths: [
      "signer/enclave/main.ts",
      "signer/process/transport.ts",
      "signer/enclave/rpc/index.ts",
      "signer/enclave/rpc/execute.ts",
    ],
    holds: "who may call, in which phase; one handler for each call",
  },
  {
    paths: [
      "proto/json-scan.ts",
      "proto/strict-json.ts",
      "proto/read.ts",
      "signer/core/request/read-body.ts",
      "signer/enclave/execution/state/request.ts",
    ],
    holds: "how bytes become parameters, with one reading",
  },
  {
    paths: [
      "signer/core/stamp/read-stamp.ts",
      "signer/core/stamp/verify.ts",
      "signer/core/webauthn/assertion.ts",
      "signer/core/webauthn/client-data.ts",
    ],
    holds: "the stamp",
  },
  {
    paths: [
      "signer/enclave/execution/execute.ts",
      "signer/enclave/execution/steps/authenticate.ts",
      "signer/enclave/execution/steps/replay.ts",
      "signer/enclave/execution/steps/decision-input.ts",
      "signer/core/policy/decision/decide.ts",
      "signer/enclave/execution/submission.ts",
    ],
    holds: "the credential, the decision, what runs",
  },
  {
    paths: [
      "signer/enclave/execution/workspace/context.ts",
      "signer/enclave/modules/wallets/powers/vault.ts",
    ],
    holds: "what may reach a key",
  },
]

/** The calls, the start, and what is checked before an activity runs. */
const BOUNDARY: readonly Step[] = [
  {
    paths: ["proto/countersign/signer/v1"],
    holds: "every call that the API tier, the operator and the fetcher can make, and every refusal code",
  },
  {
    paths: [
      "signer/enclave/main.ts",
      "signer/enclave/boot.ts",
      "signer/enclave/start",
      "signer/enclave/booted-signer.ts",
      "signer/enclave/end-if-broken.ts",
      "signer/enclave/create-deployment.ts",
      "signer/enclave/config.ts",
      "signer/enclave/admitted-members.ts",
    ],
    holds: "the start: settings, files, ledger, keys",
  },
  {
    paths: [
      "signer/core/sealed-seed",
      "signer/core/seal-commands",
      "signer/enclave/sealable.ts",
      "signer/core/holder-acts",
      "signer/enclave/holder-acts.ts",
      "signer/enclave/approved-witnesses.ts",
      "signer/enclave/newest-seal.ts",
    ],
    holds:
      "a root seed at rest: the sealed file, its slots, shares and their words; unlocking and locking; acts that holders approve",
  },
  {
    paths: [
      "signer/process",
      "signer/core/release",
      "signer/enclave/phase.ts",
      "signer/enclave/verify-index.ts",
      "signer/enclave/rpc",
    ],
    holds: "who may call, in which phase; one handler for each call",
  },
  {
    paths: [
      "proto/strict-json.ts",
      "proto/json-scan.ts",
      "proto/read.ts",
      "proto/read-plan.ts",
      "proto/rules.ts",
      "signer/core/request",
    ],
    holds: "how bytes become parameters, with one reading",
  },
  {
    paths: [
      "signer/core/refusal.ts",
      "signer/core/fault.ts",
      "signer/core/invariant.ts",
      "signer/core/fault-refusals.ts",
      "signer/core/settings",
      "signer/core/counted.ts",
      "signer/core/closest-name.ts",
      "signer/core/checks.ts",
      "signer/enclave/check-settings.ts",
      "signer/core/wire.ts",
      "signer/core/freshness.ts",
      "signer/core/turns",
      "signer/core/recently-used.ts",
      "signer/core/once.ts",
      "signer/core/terminal.ts",
      "signer/core/uuid.ts",
      "signer/core/encodings.ts",
      "signer/core/log-output.ts",
      "signer/core/request-id.ts",
      "signer/core/fingerprint-words.ts",
      "signer/core/command-line.ts",
      "signer/core/command-text.ts",
    ],
    holds:
      "refusals, faults of what is read, settings, bounds, the age of a request, fair turns, the cache, printed text, ids",
  },
  {
    paths: ["signer/core/stamp", "signer/core/webauthn"],
    holds: "stamps and passkeys, verified alike in both tiers",
  },
  {
    paths: [
      "signer/enclave/execution/execute.ts",
      "signer/enclave/execution/submission.ts",
      "signer/enclave/execution/state",
      "signer/enclave/execution/steps",
    ],
    holds: "the procedure: request, organization, credential, decision, commit, outcome",
  },
]

/** The rest of the kernel. */
const KERNEL: readonly Step[] = [
  {
    paths: [
      "signer/enclave/execution/vote.ts",
      "signer/enclave/execution/bootstrap.ts",
      "signer/enclave/execution/erase-organization.ts",
      "signer/enclave/ids.ts",
      "signer/enclave/execution/voting",
    ],
    holds: "votes, pending activities, creation of organizations",
  },
  { paths: ["signer/enclave/execution/workspace"], holds: "what a running activity may touch" },
  {
    paths: [
      "signer/core/policy/decision",
      "signer/core/policy/fair-shares.ts",
      "signer/core/policy/outcome-list.ts",
      "signer/core/policy/scope.ts",
    ],
    holds: "the decision procedure, consensus and MFA",
  },
  {
    paths: [
      "signer/core/policy/language",
      "signer/core/policy/expression.ts",
      "signer/core/policy/namespaces",
      "signer/core/policy/parameters",
      "signer/core/policy/controls.ts",
    ],
    holds: "the policy language, and the names that it knows",
  },
  { paths: ["signer/core/policy/facts"], holds: "what expressions read of a request" },
  {
    paths: ["signer/core/organization", "signer/core/auth-proxy", "signer/enclave/organization"],
    holds: "the document and its invariants; the configuration of the auth proxy",
  },
  {
    paths: ["signer/enclave/activities"],
    holds: "the contract of an activity, its powers, and code that activities of several modules share",
  },
  { paths: ["signer/enclave/ledger"], holds: "the signer's own store; begin with `ledger.ts`" },
  { paths: ["signer/core/crypto", "signer/enclave/records"], holds: "secrets, key sets, sealed records" },
  {
    paths: ["signer/enclave/keys", "signer/core/address", "signer/core/webhook"],
    holds: "mnemonics, derivation, signatures, addresses, notifications that are signed",
  },
  { paths: ["signer/enclave/bundles"], holds: "what is imported and exported under encryption" },
  {
    paths: ["signer/enclave/provision", "signer/enclave/proof", "signer/core/proof"],
    holds: "root seed and keyring; app proofs, boot proofs and their verifier",
  },
  {
    paths: [
      "signer/core/oidc",
      "signer/core/otp",
      "signer/core/session",
      "signer/core/token-text.ts",
      "signer/core/fetch-orders",
    ],
    holds: "ID tokens, verification tokens, read-only sessions; orders to the fetcher and its statements",
  },
]

/** The modules, and the pure code that they use. */
const FEATURES: readonly Step[] = [
  { paths: ["signer/core/words"], holds: "what a request does, in words for those who approve it" },
  {
    paths: ["signer/core/modules"],
    holds: "the pure half of each feature: its words, what policies read of it, velocity controls",
  },
  {
    paths: ["signer/enclave/modules"],
    holds: "the activities, a folder for each feature; each has a README",
  },
  {
    paths: [
      "signer/core/payload",
      "signer/core/transaction",
      "signer/core/send",
      "signer/core/contract-interface",
    ],
    holds: "typed data, authorizations, transactions, sends, ABIs and IDLs",
  },
  {
    paths: ["signer/core/on-ramp", "signer/core/messages"],
    holds: "purchases at on-ramp providers; messages with codes",
  },
  {
    paths: [
      "signer/core/log",
      "signer/enclave/log",
      "signer/enclave/witness-settings.ts",
      "signer/enclave/backup",
      "signer/core/audit",
      "signer/enclave/audit",
      "signer/enclave/audit-of-process.ts",
    ],
    holds:
      "the log: Merkle trees, signed notes and checkpoints; its files, what contradicts them, its witnesses, and copies for backups; the audit stream that it binds",
  },
]

/** A process and a command beside the enclave. */
const BESIDE: readonly Step[] = [
  { paths: ["signer/fetcher"], holds: "the second process, which alone calls remote hosts" },
  { paths: ["signer/witness"], holds: "a program for a third host, which cosigns heads of logs" },
  {
    paths: [
      "signer/operator",
      "signer/core/install",
      "signer/core/join",
      "signer/core/backup",
      "signer/core/backup-files",
      "signer/core/backup-host",
      "signer/enclave/rehearsal.ts",
      "signer/enclave/rehearsal-keys.ts",
    ],
    holds:
      "the operator's command, the ceremony of shares, the certificate authority of mutual TLS, lines that ask for certificates, and backups",
  },
]

/** Lines of unknown code that an auditor reads in an hour. */
const LINES_PER_HOUR = 400

/** The auditor's reading order with the lines of each step, for signer/README.md. */
export function readingOrder(): string {
  const kernel = kernelFiles()
  const whole = loadedFiles("signer/enclave/main.ts")
  return [
    ...section("A day: the path of a request", DAY, linesOfSteps(DAY)),
    "",
    ...section("The kernel", [...BOUNDARY, ...KERNEL], linesOf(kernel)),
    "",
    `With all modules the process loads ${rounded(linesOf(whole))} lines in ${whole.length} files; without them, ${kernel.length} files.`,
    "",
    ...section("The features", FEATURES, linesOfSteps(FEATURES)),
    "",
    ...section("Beside the enclave", BESIDE, linesOfSteps(BESIDE)),
  ].join("\n")
}

export function linesOfSteps(steps: readonly Step[]): number {
  return steps.reduce((sum, { paths }) => sum + linesBelow(paths), 0)
}

function section(title: string, steps: readonly Step[], total: number): string[] {
  return [
    `### ${title}`,
    "",
    `In total ${rounded(total)} lines: ${hours(total)} at ${LINES_PER_HOUR} lines an hour.`,
    "",
    ...steps.map(
      ({ paths, holds }, index) =>
        `${index + 1}. ${paths.map((path) => `\`${path}\``).join(", ")}: ${holds} (${rounded(linesBelow(paths))} lines).`,
    ),
  ]
}

function hours(lines: number): string {
  return `about ${Math.ceil(lines / LINES_PER_HOUR)} hours`
}

/** Lines of hand-written files, comments and blank lines included. Generated indexes do not count. */
function linesBelow(paths: readonly string[]): number {
  const files = paths.flatMap((path) =>
    statSync(join(ROOT, path)).isDirectory() ? globSync(`${path}/**/*.{ts,proto}`, { cwd: ROOT }) : [path],
  )
  const texts = files.map((file) => readFileSync(join(ROOT, file), "utf8"))
  return texts
    .filter((text) => !text.startsWith("// Generated"))
    .reduce((sum, text) => sum + text.split("\n").length - 1, 0)
}

/** To two digits, so that a small change leaves the document as it is. */
function rounded(lines: number): string {
  const unit = 10 ** Math.max(1, Math.floor(Math.log10(lines)) - 1)
  return `about ${Math.round(lines / unit) * unit}`
}
