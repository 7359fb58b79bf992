import { text } from "node:stream/consumers"
import { HashBudget } from "../../../signer/core/payload/typed-data/budget.ts"
import { readTypedData } from "../../../signer/core/payload/typed-data/read.ts"
import { signatureOf } from "../../terminal-client/activities/outcome.ts"
import { submitChange, type ChangeOptions, resultOf } from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { usage } from "../../terminal-client/exit.ts"
import { readText } from "../../terminal-client/files/text-file.ts"
import { findSigner, type NamedSigner } from "../../terminal-client/names/signers.ts"
import { printEither } from "../../terminal-client/terminal.ts"

export type SignOptions = ChangeOptions & { with?: string; raw?: boolean }

const ETHEREUM = "ADDRESS_FORMAT_ETHEREUM"

type Payload = { payload: string; encoding: string; hashFunction: string }

/**
 * Has a message signed. Accounts of Ethereum sign it as wallets do, by EIP-191; `raw` leaves their prefix out.
 *
 * @throws {CliError}
 */
export async function signMessage(given: string, options: SignOptions, stamping: Stamping): Promise<void> {
  const message = given === "-" ? await text(process.stdin) : given
  if (message === "") throw usage("the message is empty")
  const signer = await findSigner(options.with, stamping, { mustKnow: true })
  const isPersonal = isEthereum(signer) && !options.raw
  const prefix = isPersonal ? `\u0019Ethereum Signed Message:\n${Buffer.byteLength(message)}` : ""
  const payload = {
    payload: prefix + message,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: hashOf(signer),
  }
  await sign(payload, signer, options, stamping)
}

/** Has typed data of EIP-712 signed. @throws {CliError} usage: the file has none */
export async function signTypedData(file: string, options: SignOptions, stamping: Stamping): Promise<void> {
  const content = await readText(file)
  try {
    readTypedData(content, new HashBudget())
  } catch (cause) {
    throw usage(`${file}: not typed data of EIP-712: ${(cause as Error).message}`, {
      cause,
    })
  }
  const signer = await findSigner(options.with, stamping, { mustKnow: true })
  if (!isEthereum(signer))
    throw usage(`${signer.signWith} is no account of Ethereum: typed data is signed by those alone`)
  const payload = {
    payload: content,
    encoding: "PAYLOAD_ENCODING_EIP712",
    hashFunction: "HASH_FUNCTION_NO_OP",
  }
  await sign(payload, signer, options, stamping)
}

/** Has 32 bytes signed as they are, with a warning that their meaning cannot be seen. @throws {CliError} usage */
export async function signDigest(given: string, options: SignOptions, stamping: Stamping): Promise<void> {
  const digits = given.replace(/^0x/, "")
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw usage(`${given}: not a digest; give 64 hexadecimal digits`)
  const signer = await findSigner(options.with, stamping, { mustKnow: true })
  if (!options.json)
    stamping.terminal.log("a bare digest: nobody can see what it stands for, and a policy cannot either")
  const isEd25519 = signer.curve === "CURVE_ED25519"
  const payload = {
    payload: digits,
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: isEd25519 ? "HASH_FUNCTION_NOT_APPLICABLE" : "HASH_FUNCTION_NO_OP",
  }
  await sign(payload, signer, options, stamping)
}

async function sign(
  payload: Payload,
  signer: NamedSigner,
  options: SignOptions,
  stamping: Stamping,
): Promise<void> {
  const { terminal } = stamping
  const { signWith } = signer
  const parameters = { signWith, ...payload }
  const submitted = await submitChange(
    { type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", parameters },
    options,
    stamping,
  )
  if (submitted === undefined) return
  const { r, s, v } = resultOf(submitted.activity) as { r: string; s: string; v: string }
  const signature = signatureOf({ r, s, v }, isEthereum(signer))
  printEither(terminal, options, { signature, r, s, v, signWith }, [signature])
}

function isEthereum({ formats }: NamedSigner): boolean {
  return formats.includes(ETHEREUM)
}

/** The hash that wallets of the account's chain sign a message with. */
function hashOf(signer: NamedSigner): string {
  if (signer.curve === "CURVE_ED25519") return "HASH_FUNCTION_NOT_APPLICABLE"
  return isEthereum(signer) ? "HASH_FUNCTION_KECCAK256" : "HASH_FUNCTION_SHA256"
}
