import { isBitcoinAddress } from "../../signer/core/address/bitcoin.ts"
import { checksumAddress, ethereumAddressBytes } from "../../signer/core/address/ethereum.ts"
import { isSolanaAddress } from "../../signer/core/address/solana.ts"
import { isTronAddress, tronAddressOf } from "../../signer/core/address/tron.ts"
import type { Spelling, StringType } from "../../signer/core/policy/language/types.ts"

// Texts that are never equal to a value of their field, because the field's values have another spelling.

/** Letters of other alphabets that look like these of ASCII. */
const LOOK_ALIKE: ReadonlyMap<string, string> = new Map(
  [
    ..."\u0430a \u0435e \u043eo \u0440p \u0441c \u0443y \u0445x \u0456i \u0458j \u0455s \u0410A \u0412B \u0415E \u041aK \u041cM \u041dH \u041eO \u0420P \u0421C \u0422T \u0425X \u0391A \u0392B \u0395E \u0396Z \u0397H \u0399I \u039aK \u039cM \u039dN \u039fO \u03a1P \u03a4T \u03a5Y \u03a7X \u03bfo \u03b1a".matchAll(
      /(\S)(\S)/gu,
    ),
  ].map(([, letter = "", ascii = ""]) => [letter, ascii]),
)

/** Warns of letters beyond ASCII in an id, an address or another text that has a form. */
export function adviceOnLetters(type: StringType | undefined, text: string): string | undefined {
  const hasForm = type?.spelling !== undefined || type?.refersTo !== undefined || type?.values !== undefined
  const [letter] = /[^\x20-\x7e]/u.exec(text) ?? []
  if (!hasForm || letter === undefined) return undefined
  const code = `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
  const plain = Array.from(text.normalize("NFKC"), (one) => LOOK_ALIKE.get(one) ?? one).join("")
  const hint = /^[\x20-\x7e]*$/.test(plain) ? `; write '${plain}'` : "; write it in ASCII"
  return `never equal: ${code} is no letter of ASCII, though it may look like one${hint}`
}

/** Which characters of a value a text is compared with. `from`: the first one; undefined: that is not known. */
export type ComparedPart = { readonly isWhole: boolean; readonly from: number | undefined }

export const WHOLE: ComparedPart = { isWhole: true, from: 0 }

/** Warns of a text that no value of this spelling equals. `''` is no fault: it is the value of an absent member. */
export function adviceOnSpelling(
  spelling: Spelling | undefined,
  text: string,
  part: ComparedPart,
): string | undefined {
  if (spelling === undefined || text === "") return undefined
  const { isWhole } = part
  const lower = text.toLowerCase()
  switch (spelling) {
    case "lower-case-hex":
      return lowerCase(text) ?? adviceOnDigits(text, part)
    case "selector":
      if (!isWhole) return lowerCase(text) ?? adviceOnDigits(text, part)
      if (/^(?:0[xX])?[0-9a-fA-F]{8}$/.test(text)) return lowerCase(text) ?? adviceOnDigits(text, part)
      return "never equal: it is 0x and 8 digits, such as '0xa9059cbb'"
    case "bare-hex":
    case "bare-selector": {
      const bare = lower.replace(/^0x/, "")
      if (bare !== text && HEX.test(text)) return write(bare, "it is hexadecimal in lower case without 0x")
      if (isWhole && spelling === "bare-selector")
        return /^[0-9a-f]{8}$/.test(text)
          ? undefined
          : "never equal: it is 8 digits without 0x, such as 'a9059cbb'"
      return HEX.test(text) ? undefined : "never equal: it is hexadecimal in lower case without 0x"
    }
    case "eip-55":
      return isWhole ? adviceOnAccount(text) : undefined
    case "evm-address":
      if (!isWhole) return adviceOnDigits(lower, part)
      if (/^[0-9a-f]{40}$/.test(lower)) return write(`0x${text}`, "addresses begin with 0x")
      if (!/^0x[0-9a-f]{40}$/.test(lower))
        return "never equal: an address of an EVM chain is 0x and 40 digits"
      return ethereumAddressBytes(text.replace("0X", "0x")) === undefined ? MISTYPED : undefined
    case "bitcoin-address":
      if (!isWhole || isBitcoinAddress(text)) return undefined
      if (isBitcoinAddress(lower)) return write(lower, "it is in lower case")
      return "never equal: it is no address of Bitcoin with its checksum"
    case "tron-address":
      return !isWhole || isTronAddress(text) ? undefined : adviceOnTron(lower)
    case "solana-key":
      if (!isWhole || text === "ADDRESS_TABLE_LOOKUP" || isSolanaAddress(text)) return undefined
      return "never equal: it is no Base58 of 32 bytes"
    default:
      return spelling satisfies never
  }
}

const HEX = /^(?:0[xX])?[0-9a-fA-F]+$/

const MISTYPED = "its checksum (EIP-55) is wrong, so a digit may be mistyped"

function lowerCase(text: string): string | undefined {
  const isLower = text === text.toLowerCase() || !HEX.test(text)
  return isLower ? undefined : "it is hexadecimal in lower case and compared exactly"
}

const PREFIX = "0x"

/** Warns of a text that stands nowhere in hexadecimal after `0x`, or not at its place. */
function adviceOnDigits(text: string, { isWhole, from }: ComparedPart): string | undefined {
  if (from === undefined)
    return /^(?:0?x)?[0-9a-f]*$/i.test(text) ? undefined : "never equal: it is hexadecimal"
  const value = PREFIX.slice(0, from) + text
  const isFitting = value.length < PREFIX.length ? PREFIX.startsWith(value) : /^0x[0-9a-f]*$/i.test(value)
  if (isFitting) return undefined
  if (isWhole && HEX.test(text)) return write(`0x${text}`, "it begins with 0x")
  return from < PREFIX.length
    ? "never equal: it is hexadecimal and begins with 0x"
    : "never equal: it is hexadecimal, and 0x stands only at its beginning"
}

const UPPER_BECH32 = /^[A-Z]{2,8}1[02-9AC-HJ-NP-Z]{6,}$/

/** Accounts of all chains: Ethereum's are in the mixed case of EIP-55, those of Bitcoin and Cosmos in lower case. */
function adviceOnAccount(text: string): string | undefined {
  if (UPPER_BECH32.test(text)) return write(text.toLowerCase(), "it is in lower case")
  const [, prefix, digits] = /^(0[xX]|41)?([0-9a-fA-F]{40})$/.exec(text) ?? []
  if (digits === undefined) return undefined
  if (prefix === "41") return adviceOnTron(digits.toLowerCase())
  const mixed = checksumAddress(digits)
  if (text === mixed) return undefined
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return write(mixed, isOneCase ? "addresses of Ethereum accounts are in the mixed case of EIP-55" : MISTYPED)
}

function write(text: string, reason: string): string {
  return `never equal: ${reason}; write '${text}'`
}

/** @param text in lower case */
function adviceOnTron(text: string): string {
  const [, digits] = /^(?:0x)?(?:41)?([0-9a-f]{40})$/.exec(text) ?? []
  const reason = "addresses of Tron are Base58Check"
  if (digits === undefined) return `never equal: ${reason} and begin with T`
  return write(tronAddressOf(Buffer.from(digits, "hex")), reason)
}
