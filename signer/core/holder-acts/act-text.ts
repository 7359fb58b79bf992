import { holdersDigest, type Holders } from "../sealed-seed/holders.ts"
import { refuse } from "../refusal.ts"
import { type HolderAct, meaningOf } from "./acts.ts"

/** First line of every text: a key that signed one signed nothing else with it. */
const TEXT_MARK = "countersign/v1/holder-act"
/** A text has under one kilobyte; with a key for each of 15 holders under three. */
const MAX_TEXT_LENGTH = 8192
const NONCE_LENGTH = 16
/** Digits of the holders' digest in a text. */
const HOLDERS_DIGITS = 16
const NAME_WIDTH = 14

/** The members of every text, whatever its act. */
export type TextTerms = { readonly nonce: Uint8Array; readonly expiresAtMs: number }

export const ACT_NONCE_LENGTH = NONCE_LENGTH

/** The text of an act: lines of `Name:   value`, ASCII. Holders read it and sign its bytes as they are. */
export function writeActText(
  { name, parameters, noted = [] }: HolderAct,
  holders: Holders,
  { nonce, expiresAtMs }: TextTerms,
): string {
  const { deploymentId, generation } = holders
  const fields: readonly (readonly [string, string])[] = [
    ["Act", name],
    ["Meaning", meaningOf(name)],
    ...parameters,
    ...noted,
    ["Deployment", deploymentId],
    ["Generation", String(generation)],
    ["Holders", holdersText(holders)],
    ["Nonce", Buffer.from(nonce).toString("hex")],
    ["Expires", new Date(expiresAtMs).toISOString()],
  ]
  if (!fields.every(([, value]) => value !== "" && isPrintable(value) && !value.includes("\n")))
    throw new RangeError("a parameter of an act is no printable line of ASCII")
  const lines = fields.map(([field, value]) => `${`${field}:`.padEnd(NAME_WIDTH)} ${value}`)
  return [TEXT_MARK, ...lines, ""].join("\n")
}

/** `3 of 5, 5f3a9c1e77b0d214` */
function holdersText(holders: Holders): string {
  const digest = Buffer.from(holdersDigest(holders)).toString("hex").slice(0, HOLDERS_DIGITS)
  return `${holders.threshold} of ${holders.publicKeys.length}, ${digest}`
}

/** A text that was read: its lines, and what tells to whom it belongs. */
export type ReadActText = {
  readonly text: string
  readonly act: string
  readonly deploymentId: string
  readonly holders: string
  readonly nonce: Uint8Array
  readonly expiresAtMs: number
}

/**
 * Reads the bytes of a text. The words of the act are not compared with those of this release: who made the text decides whether it
 * is theirs.
 *
 * @throws APPROVAL_MALFORMED
 */
export function readActText(bytes: Uint8Array): ReadActText {
  const text = Buffer.from(bytes).toString("latin1")
  if (bytes.length > MAX_TEXT_LENGTH || !isPrintable(text))
    throw malformed("it is too long, or no plain text")
  const [mark, ...lines] = text.split("\n")
  if (mark !== TEXT_MARK || lines.pop() !== "") throw malformed("it is no text of an act")
  const fields = new Map<string, string>()
  for (const line of lines) {
    const [, name = "", value = ""] = /^([A-Z][A-Za-z0-9 ]*): +(\S.*)$/.exec(line) ?? []
    if (name === "" || fields.has(name)) throw malformed("a line is repeated, or is no name with its value")
    fields.set(name, value)
  }
  const field = (name: string) => {
    const value = fields.get(name)
    if (value === undefined) throw malformed(`its line ${name} is missing`)
    return value
  }
  field("Meaning")
  const nonce = field("Nonce")
  if (!/^[0-9a-f]{32}$/.test(nonce)) throw malformed("its nonce is none")
  const expiresAtMs = Date.parse(field("Expires"))
  if (Number.isNaN(expiresAtMs)) throw malformed("its time of expiry is none")
  return {
    text,
    act: field("Act"),
    deploymentId: field("Deployment"),
    nonce: Buffer.from(nonce, "hex"),
    holders: `generation ${field("Generation")}, ${field("Holders")}`,
    expiresAtMs,
  }
}

/** @throws APPROVAL_FOREIGN for a text of another deployment, or of an earlier set of holders */
export function requireOfHolders(read: ReadActText, holders: Holders): void {
  if (read.deploymentId !== holders.deploymentId)
    throw refuse(
      "APPROVAL_FOREIGN",
      `the text is of deployment ${read.deploymentId}, and this is ${holders.deploymentId}: have a text of this deployment approved`,
    )
  const present = `generation ${holders.generation}, ${holdersText(holders)}`
  if (read.holders !== present)
    throw refuse(
      "APPROVAL_FOREIGN",
      `the text is for the holders of ${read.holders}, and the present ones are of ${present}: have a new text made and approved`,
    )
}

/** Letters, digits, marks, spaces and line ends of ASCII: nothing that a terminal would obey. */
function isPrintable(text: string): boolean {
  return /^[\x20-\x7e\n]*$/.test(text)
}

function malformed(why: string) {
  return refuse(
    "APPROVAL_MALFORMED",
    `the text of the act cannot be read: ${why}. Take it as the signer made it`,
  )
}
