import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { counted } from "../../core/counted.ts"
import { compressP256, p256Point } from "../../core/crypto/p256.ts"
import { readActText } from "../../core/holder-acts/act-text.ts"
import { type SignedApproval, requireSigned } from "../../core/holder-acts/approval.ts"
import { MIN_PASSPHRASE_LENGTH } from "../../core/sealed-seed/passphrase.ts"
import { FAULT, REFUSED, StartError } from "../../core/settings/start-fault.ts"
import type { HolderTerminal } from "../../core/seal-commands/holder-terminal.ts"
import type { CommandResult } from "../command-result.ts"
import { writeApproval } from "./approval-file.ts"
import type { HolderCommand, SignWith } from "./commands.ts"
import { readAssertion } from "./assertion.ts"
import { approveOnPage, makePasskey } from "./passkey.ts"
import { readHolderKey } from "./public-keys.ts"

/** A holder's commands, on the holder's own machine: they read no settings and ask no signer. */
export async function holder(command: HolderCommand, at: HolderTerminal): Promise<CommandResult> {
  switch (command.does) {
    case "key":
      return makeKey(command, at)
    case "passkey": {
      const publicKey = await makePasskey(command.file, at)
      return { lines: [publicKey], json: { file: command.file, publicKey } }
    }
    case "sign":
      return approve(command, at)
    default:
      return command satisfies never
  }
}

type KeyCommand = Extract<HolderCommand, { does: "key" }>

/** Makes a key of P-256 in PEM (PKCS #8), mode 0600. Without a passphrase whoever reads the file approves. */
async function makeKey({ file, isPlain }: KeyCommand, at: HolderTerminal): Promise<CommandResult> {
  if (existsSync(file)) throw thereAlready(file)
  const passphrase = isPlain ? undefined : await askNewPassphrase(at)
  if (isPlain) at.show("Without a passphrase, whoever reads this file approves in your name.")
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const encryption = passphrase === undefined ? {} : { cipher: "aes-256-cbc", passphrase }
  const pem = privateKey.export({ type: "pkcs8", format: "pem", ...encryption })
  try {
    writeFileSync(file, pem, { mode: 0o600, flag: "wx" })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
    throw thereAlready(file)
  }
  const publicKey = hexOf(privateKey)
  return { lines: [publicKey], json: { file, publicKey } }
}

const thereAlready = (file: string) =>
  new StartError(FAULT, `${file} is there already, and was not changed: name another file`)

async function askNewPassphrase(at: HolderTerminal): Promise<string> {
  for (;;) {
    const first = await at.ask(`Passphrase of the key, at least ${MIN_PASSPHRASE_LENGTH} characters:`, {
      isHidden: true,
    })
    if (first.length < MIN_PASSPHRASE_LENGTH) at.show(`It has ${counted(first.length, "character")}.`)
    else if ((await at.ask("The same again:", { isHidden: true })) === first) return first
    else at.show("The two differ.")
  }
}

/** Shows the text as its bytes are, asks, signs, and verifies what was signed. */
async function approve(
  { file, with: way }: Extract<HolderCommand, { does: "sign" }>,
  at: HolderTerminal,
): Promise<CommandResult> {
  const text = readFileSync(file)
  const { expiresAtMs } = readActText(text)
  const hasExpired = Date.now() >= expiresAtMs
  const lines = [
    ...text.toString("latin1").trimEnd().split("\n"),
    ...(hasExpired ? ["By the clock of this machine the text has expired."] : []),
  ]
  at.show(...lines)
  const approval =
    way.kind === "passkey"
      ? await approveOnPage(text, way.file, { lines, at })
      : await approveHere(way, text, at)
  const publicKey = Buffer.from(approval.publicKey).toString("hex")
  requireSigned(text, approval, publicKey)
  const json = writeApproval(text, approval)
  return { lines: [JSON.stringify(json)], json }
}

type SignHere = Exclude<SignWith, { kind: "passkey" }>

async function approveHere(way: SignHere, text: Uint8Array, at: HolderTerminal): Promise<SignedApproval> {
  const answer = await at.ask('To approve this act, type "yes":')
  if (answer.trim() !== "yes") throw new StartError(REFUSED, "not approved: nothing was signed")
  switch (way.kind) {
    case "key": {
      const key = await openKey(way.file, at)
      const publicKey = Buffer.from(hexOf(key), "hex")
      return { publicKey, evidence: { case: "signature", value: sign("sha256", text, key) } }
    }
    case "signature":
      return {
        publicKey: readHolderKey(way.publicKey),
        evidence: { case: "signature", value: readFileSync(way.file) },
      }
    case "assertion":
      return {
        publicKey: readHolderKey(way.publicKey),
        evidence: { case: "passkey", value: readAssertion(readFileSync(way.file), way.file) },
      }
    default:
      return way satisfies never
  }
}

/** Asks for the passphrase of a key that has one. @throws {StartError} */
async function openKey(file: string, at: HolderTerminal): Promise<KeyObject> {
  const pem = readFileSync(file, "utf8")
  const isEncrypted = pem.includes("BEGIN ENCRYPTED PRIVATE KEY")
  const passphrase = isEncrypted ? await at.ask("Passphrase of the key:", { isHidden: true }) : undefined
  const key = parseKey(pem, passphrase)
  if (key?.asymmetricKeyDetails?.namedCurve === "prime256v1") return key
  const why = isEncrypted ? "the passphrase is wrong, or the file holds no key" : "it holds no private key"
  throw new StartError(REFUSED, `${file} cannot be used: ${why} of P-256 in PEM. Nothing was signed`)
}

function parseKey(key: string, passphrase: string | undefined): KeyObject | undefined {
  try {
    return createPrivateKey(passphrase === undefined ? key : { key, passphrase })
  } catch {
    return undefined
  }
}

const hexOf = (key: KeyObject) => Buffer.from(compressP256(p256Point(key))).toString("hex")
