// Buffer of Node.js, as far as signer/core uses it: the browser verifies with the same files as the command line.

type Encoding = "utf8" | "utf-8" | "hex" | "base64" | "base64url" | "latin1" | "ascii" | "utf16le"

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Characters of base64 and base64url; others are skipped, and reading ends at padding, as in Node.js. */
function bytesOfBase64(text: string): Uint8Array {
  const [data = ""] = text.replaceAll("-", "+").replaceAll("_", "/").split("=")
  const digits = data.replaceAll(/[^A-Za-z0-9+/]/g, "")
  return latin1(atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits))
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length }, (_, index) => text.charCodeAt(index) & 0xff)
}

/** Pairs of digits up to the first that is none, as in Node.js. */
function bytesOfHex(text: string): Uint8Array {
  const pairs = /^(?:[0-9a-f]{2})*/i.exec(text)?.[0].match(/../g) ?? []
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16))
}

function bytesOfText(text: string, encoding: Encoding): Uint8Array {
  switch (encoding) {
    case "utf8":
    case "utf-8":
      return utf8.encode(text)
    case "hex":
      return bytesOfHex(text)
    case "base64":
    case "base64url":
      return bytesOfBase64(text)
    case "latin1":
    case "ascii":
      return latin1(text)
    case "utf16le":
      return Uint8Array.from({ length: text.length * 2 }, (_, index) => {
        const unit = text.charCodeAt(index >> 1)
        return index % 2 === 0 ? unit & 0xff : unit >> 8
      })
    default:
      return encoding satisfies never
  }
}

export class BrowserBuffer extends Uint8Array {
  static override from(value: unknown, encoding?: unknown, length?: number): BrowserBuffer {
    const bytes =
      typeof value === "string"
        ? bytesOfText(value, (encoding as Encoding | undefined) ?? "utf8")
        : value instanceof ArrayBuffer
          ? new Uint8Array(value, (encoding as number | undefined) ?? 0, length)
          : Uint8Array.from(value as ArrayLike<number>)
    return new BrowserBuffer(bytes)
  }

  static alloc(length: number): BrowserBuffer {
    return new BrowserBuffer(length)
  }

  static allocUnsafe(length: number): BrowserBuffer {
    return new BrowserBuffer(length)
  }

  static concat(parts: readonly Uint8Array[]): BrowserBuffer {
    const whole = new BrowserBuffer(parts.reduce((sum, { length }) => sum + length, 0))
    let offset = 0
    for (const part of parts) {
      whole.set(part, offset)
      offset += part.length
    }
    return whole
  }

  static byteLength(text: string): number {
    return utf8.encode(text).length
  }

  static compare(one: Uint8Array, other: Uint8Array): number {
    for (let index = 0; index < Math.min(one.length, other.length); index++) {
      const difference = (one[index] ?? 0) - (other[index] ?? 0)
      if (difference !== 0) return Math.sign(difference)
    }
    return Math.sign(one.length - other.length)
  }

  compare(other: Uint8Array): number {
    return BrowserBuffer.compare(this, other)
  }

  equals(other: Uint8Array): boolean {
    return BrowserBuffer.compare(this, other) === 0
  }

  readUInt8(offset = 0): number {
    return this.#view.getUint8(offset)
  }

  readUInt16BE(offset = 0): number {
    return this.#view.getUint16(offset)
  }

  readUInt32LE(offset = 0): number {
    return this.#view.getUint32(offset, true)
  }

  readUInt32BE(offset = 0): number {
    return this.#view.getUint32(offset)
  }

  readBigUInt64BE(offset = 0): bigint {
    return this.#view.getBigUint64(offset)
  }

  get #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength)
  }

  override toString(encoding: Encoding = "utf8", start = 0, end = this.length): string {
    if (start > 0 || end < this.length) return new BrowserBuffer(this.slice(start, end)).toString(encoding)
    switch (encoding) {
      case "utf8":
      case "utf-8":
        return fromUtf8.decode(this)
      case "hex":
        return Array.from(this, (byte) => byte.toString(16).padStart(2, "0")).join("")
      case "base64":
        return btoa(this.toString("latin1"))
      case "base64url":
        return this.toString("base64").replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
      case "latin1":
      case "ascii":
        return Array.from(this, (byte) => String.fromCharCode(byte)).join("")
      case "utf16le":
        return Array.from({ length: this.length >> 1 }, (_, index) =>
          String.fromCharCode((this[2 * index] ?? 0) | ((this[2 * index + 1] ?? 0) << 8)),
        ).join("")
      default:
        return encoding satisfies never
    }
  }
}

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
