import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { ActivityTypeSchema } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { typeName } from "./activity-codes.ts"
import { WORDS } from "./packed-words.ts"

/**
 * Texts of JSON in few bytes. A text is cut at its quotation marks, and each piece is coded. Known words take one or two
 * bytes, UUIDs 16, and hexadecimal digits half their number. Any text can be packed, and is unpacked as it was.
 *
 * The bytes: VERSION, then for each text its pieces and END, or ABSENT in their place. Lengths are unsigned LEB128. Many bytes
 * are stored as COMPRESSED and a Zstandard frame (RFC 8878) of what would follow VERSION.
 */
const VERSION = "01"
const COMPRESSED = "02"

/** Fewer bytes are not compressed, and none that take no less space then. */
const MIN_COMPRESSED_BYTES = 4096
/** The fastest level that still compresses: half a millisecond for 256 KiB. A changed bit is found by the checksum. */
const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
}
/** Maximum of a frame's decompressed size: far above a body with its votes and its result. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024

const LITERAL = 0
const UUID = 1
const HEX = 2
/** Form of a text of "0x" and hexadecimal digits. */
const PREFIXED_HEX = 3
/** Six bytes, big endian. */
const DECIMAL = 4
/** A name of ActivityType, as its number. */
const ACTIVITY_TYPE = 5
/** A backslash after the next piece: JSON within JSON. */
const ESCAPED = 6
const END = 7
const ABSENT = 8
/** Codes of words: one byte each, then two for the words after the first 200. */
const FIRST_WORD = 16
const SHORT_WORDS = 200
const FIRST_LONG_WORD = FIRST_WORD + SHORT_WORDS

const DIGITS = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, "0"))
const byte = (value: number) => DIGITS[value] ?? ""
const codes = new Map([
  ...ActivityTypeSchema.values.map(
    ({ name, number }) => [name, byte(ACTIVITY_TYPE) + lengthCode(number)] as const,
  ),
  ...WORDS.map((word, index) => [word, wordCode(index)] as const),
])
/** Codes of words of one ASCII character, most of them signs between members, by that character's code. */
const signs = Array.from({ length: 128 }, (_, code) => codes.get(String.fromCharCode(code)))

function wordCode(index: number): string {
  if (index < SHORT_WORDS) return byte(FIRST_WORD + index)
  const rest = index - SHORT_WORDS
  return byte(FIRST_LONG_WORD + (rest >> 8)) + byte(rest & 255)
}

function lengthCode(length: number): string {
  return length < 128 ? byte(length) : byte((length & 127) | 128) + lengthCode(length >>> 7)
}

/**
 * The texts as hexadecimal digits, as statements take bytes; null: absent.
 * @throws {TypeError} half a surrogate pair, which UTF-8 cannot hold
 */
export function packTexts(texts: readonly (string | null)[]): string {
  let pieces = ""
  for (const text of texts) pieces += text === null ? byte(ABSENT) : packText(text) + byte(END)
  return compressed(pieces) ?? VERSION + pieces
}

function compressed(pieces: string): string | undefined {
  if (pieces.length < 2 * MIN_COMPRESSED_BYTES) return undefined
  const frame = zstdCompressSync(Buffer.from(pieces, "hex"), COMPRESSION).toString("hex")
  return frame.length < pieces.length ? COMPRESSED + frame : undefined
}

function packText(text: string): string {
  let packed = ""
  for (const piece of text.split('"')) packed += packPiece(piece)
  return packed
}

const UUID_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const HEX_DIGITS = /^[0-9a-f]*$/
const MIN_HEX_DIGITS = 8
/** Below 2^48, and no shorter in six bytes. */
const DECIMAL_FORM = /^[1-9][0-9]{7,13}$/

function packPiece(piece: string): string {
  const known = piece.length === 1 ? signs[piece.charCodeAt(0)] : codes.get(piece)
  if (known !== undefined) return known
  if (piece.endsWith("\\") && !piece.endsWith("\\\\")) return byte(ESCAPED) + packPiece(piece.slice(0, -1))
  if (DECIMAL_FORM.test(piece)) return byte(DECIMAL) + Number(piece).toString(16).padStart(12, "0")
  const isPrefixed = piece.startsWith("0x")
  const digits = isPrefixed ? piece.slice(2) : piece
  if (isHex(digits)) return byte(isPrefixed ? PREFIXED_HEX : HEX) + lengthCode(digits.length >> 1) + digits
  if (UUID_FORM.test(piece)) return byte(UUID) + piece.replaceAll("-", "")
  if (!piece.isWellFormed()) throw new TypeError("a value is not well-formed text")
  const bytes = Buffer.from(piece)
  return byte(LITERAL) + lengthCode(bytes.length) + bytes.toString("hex")
}

function isHex(digits: string): boolean {
  return digits.length >= MIN_HEX_DIGITS && digits.length % 2 === 0 && HEX_DIGITS.test(digits)
}

/** The texts of packed bytes. @throws {RangeError} bytes of no such form */
export function unpackTexts(packed: Uint8Array): (string | null)[] {
  const reader = new PieceReader(packed)
  const texts: (string | null)[] = []
  while (!reader.isAtEnd) texts.push(reader.text())
  return texts
}

function piecesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  const packed = Buffer.from(buffer, byteOffset, byteLength)
  switch (packed.toString("hex", 0, 1)) {
    case VERSION:
      return packed.subarray(1)
    case COMPRESSED:
      return unfold(packed.subarray(1))
    default:
      throw new RangeError("packed texts of an unknown version")
  }
}

function unfold(frame: Buffer): Buffer {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: MAX_UNPACKED_BYTES })
  } catch (cause) {
    throw new RangeError("packed texts with a damaged frame", { cause })
  }
}

const CUT = "packed texts end too early"

class PieceReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(packed: Uint8Array) {
    this.#bytes = piecesOf(packed)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  text(): string | null {
    const pieces: string[] = []
    for (;;) {
      const code = this.#byte()
      if (code === ABSENT) return null
      if (code === END) return pieces.join('"')
      pieces.push(this.#piece(code))
    }
  }

  #piece(code: number): string {
    if (code >= FIRST_WORD) return this.#word(code)
    switch (code) {
      case LITERAL:
        return this.#take(this.#length()).toString()
      case UUID:
        return uuidText(this.#take(16).toString("hex"))
      case HEX:
        return this.#take(this.#length()).toString("hex")
      case PREFIXED_HEX:
        return `0x${this.#take(this.#length()).toString("hex")}`
      case DECIMAL:
        return String(this.#take(6).readUIntBE(0, 6))
      case ACTIVITY_TYPE:
        return typeName(String(this.#length()))
      case ESCAPED:
        return `${this.#piece(this.#byte())}\\`
      default:
        return unknownCode()
    }
  }

  #word(code: number): string {
    const rest = code - FIRST_LONG_WORD
    const index = rest < 0 ? code - FIRST_WORD : SHORT_WORDS + (rest << 8) + this.#byte()
    return WORDS[index] ?? unknownCode()
  }

  #length(): number {
    const low = this.#byte()
    return low < 128 ? low : (low & 127) + this.#length() * 128
  }

  #byte(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw new RangeError(CUT)
    return value
  }

  #take(count: number): Buffer {
    const end = this.#at + count
    if (end > this.#bytes.length) throw new RangeError(CUT)
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}

function unknownCode(): never {
  throw new RangeError("packed texts with a code of a later release")
}

function uuidText(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}
