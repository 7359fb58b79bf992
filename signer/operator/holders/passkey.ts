import { createHash, randomBytes } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { UsageFault } from "../../core/command-line.ts"
import { requireSigned, type SignedApproval } from "../../core/holder-acts/approval.ts"
import { refuse } from "../../core/refusal.ts"
import type { HolderTerminal } from "../../core/seal-commands/holder-terminal.ts"
import { FAULT, StartError } from "../../core/settings/start-fault.ts"
import { writeApproval } from "./approval-file.ts"
import { type BrowserAnswer, isCredentialId, readAssertion, readBrowserAnswer } from "./assertion.ts"
import { servePage } from "./page/serve-page.ts"
import type { PageStep } from "./page/step.ts"
import { pointOfSpki, readHolderKey } from "./public-keys.ts"

/** Passkeys of holders are made for pages of their own machines: an address that no server elsewhere has. */
const RP = { id: "localhost", name: "Countersign" }
/** ECDSA with P-256 and SHA-256 (RFC 9053 §2.1). */
const ES256 = -7
const THEIRS = "the browser's answer"

/** Makes a passkey, has it sign once, and keeps its public key and its id in a file. Returns the public key, 66 digits. */
export async function makePasskey(file: string, at: HolderTerminal): Promise<string> {
  if (existsSync(file)) throw isThere(file)
  let made: { publicKey: Uint8Array; credentialId: string } | undefined
  const publicKey = await servePage(
    {
      first: creation(basename(file)),
      take(answer) {
        const read = readBrowserAnswer(answer, THEIRS)
        made ??= readCreated(read)
        const hex = Buffer.from(made.publicKey).toString("hex")
        const trial = Buffer.from(`countersign/v1/holder-passkey\n${hex}\n`)
        if (read.isCreation) return assertionStep(TRIAL, trial, made.credentialId)
        const evidence = { case: "passkey", value: readAssertion(answer, THEIRS) } as const
        requireSigned(trial, { publicKey: made.publicKey, evidence }, hex)
        store(file, `${hex}\n${made.credentialId}\n`)
        return { title: "Your public key", line: hex, file: `${basename(file)}.public` }
      },
    },
    at,
  )
  return publicKey
}

const TRIAL = {
  title: "Try the passkey",
  lines: ["The passkey was made. It signs once now, so that it is known to work before it is enrolled."],
  button: "Try the passkey",
}

function creation(name: string): PageStep {
  const user = { id: randomBytes(16).toString("base64url"), name, displayName: name }
  return {
    title: "Make a passkey for approvals",
    lines: [
      "A passkey of this machine, of a phone or of a security key will approve acts of a Countersign deployment in your name.",
      "It asks for a PIN, a finger or a face each time.",
    ],
    button: "Make a passkey",
    create: {
      rp: RP,
      user,
      challenge: randomBytes(32).toString("base64url"),
      pubKeyCredParams: [{ type: "public-key", alg: ES256 }],
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
    },
  }
}

/** @throws APPROVAL_MALFORMED */
function readCreated({ id, member, number }: BrowserAnswer) {
  const publicKey = number("publicKeyAlgorithm") === ES256 ? pointOfSpki(member("publicKey")) : undefined
  if (publicKey !== undefined) return { publicKey, credentialId: id() }
  throw refuse(
    "APPROVAL_MALFORMED",
    "this passkey has no key of P-256 (ES256): make one with another authenticator",
  )
}

function assertionStep(
  shown: { title: string; lines: readonly string[]; button: string },
  text: Uint8Array,
  credentialId: string | undefined,
): PageStep {
  const allowed = credentialId === undefined ? [] : [{ type: "public-key", id: credentialId } as const]
  const challenge = createHash("sha256").update(text).digest("base64url")
  const get = { challenge, rpId: RP.id, allowCredentials: allowed, userVerification: "required" }
  return { ...shown, get }
}

function store(file: string, content: string): void {
  try {
    writeFileSync(file, content, { mode: 0o600, flag: "wx" })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") throw isThere(file)
    throw cause
  }
}

const isThere = (file: string) =>
  new StartError(FAULT, `${file} is there already, and was not changed: name another file`)

/** Shows the text of an act on a page, and has a passkey sign it. `word`: file of `makePasskey`, or a public key. */
export async function approveOnPage(
  text: Uint8Array,
  word: string,
  { lines, at }: { lines: readonly string[]; at: HolderTerminal },
): Promise<SignedApproval> {
  const { publicKey, credentialId } = readPasskey(word)
  let approval: SignedApproval | undefined
  const shown = { title: "Approve this act", lines, button: "Approve with the passkey" }
  await servePage(
    {
      first: assertionStep(shown, text, credentialId),
      take(answer) {
        const evidence = { case: "passkey", value: readAssertion(answer, THEIRS) } as const
        requireSigned(text, { publicKey, evidence }, Buffer.from(publicKey).toString("hex"))
        approval = { publicKey, evidence }
        const line = JSON.stringify(writeApproval(text, approval))
        return { title: "Your approval", line, file: "approval.json" }
      },
    },
    at,
  )
  return approval!
}

/** The two lines that `makePasskey` writes. A key in PEM has more, and its second line is no id. */
const PASSKEY_FILE = /^[0-9a-f]{66}\n([\w-]+)\n?$/

/** @throws {UsageFault} */
function readPasskey(word: string) {
  const publicKey = readHolderKey(word)
  if (!existsSync(word)) return { publicKey, credentialId: undefined }
  const [, credentialId = ""] = PASSKEY_FILE.exec(readFileSync(word, "utf8")) ?? []
  if (isCredentialId(credentialId)) return { publicKey, credentialId }
  throw new UsageFault(`--passkey ${word}: it is no file of countersign-signer holder passkey`)
}
