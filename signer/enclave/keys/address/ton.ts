import { hash } from "node:crypto"
import { crc16 } from "../../../core/address/canonical.ts"

/** A wallet contract: its code cell, and the bits of its initial data before and after the key, as text of 0 and 1. */
type Wallet = {
  readonly codeHash: string
  readonly codeDepth: number
  readonly before: string
  readonly after: string
}

const SEQNO = bits(0, 32)
/** Wallet id of V3 and V4 in workchain 0. */
const WALLET_ID = bits(698_983_191, 32)
/**
 * Wallet id of V5R1 on the main network: the network's global id (-239) xor the client context, which has one set bit,
 * workchain 0, version 0 and subwallet 0.
 */
const WALLET_ID_V5R1 = bits(0x7fff_ff11, 32)

export const tonWallets = {
  V3R2: {
    codeHash: "84dafa449f98a6987789ba232358072bc0f76dc4524002a5d0918b9a75d2d599",
    codeDepth: 0,
    before: SEQNO + WALLET_ID,
    after: "",
  },
  V4R2: {
    codeHash: "feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0",
    codeDepth: 7,
    before: SEQNO + WALLET_ID,
    after: "0", // no plugins
  },
  V5R1: {
    codeHash: "20834b7b72b112147e1b2fb457b84e74d1a30f04f737d4f62a668e9552d2b72f",
    codeDepth: 6,
    before: `1${SEQNO}${WALLET_ID_V5R1}`, // signatures are allowed
    after: "0", // no extensions
  },
} as const satisfies Record<string, Wallet>

const NON_BOUNCEABLE = 0x51
const WORKCHAIN = 0
/** StateInit: no split depth, not special, code, data, no library (TL-B, `_ split_depth:(Maybe (## 5)) ...`). */
const STATE_INIT = "00110"

/**
 * The wallet contract of an Ed25519 key, as `tag(1) || workchain(1) || hash(32) || crc16(2)` in base64url: TEP-2, the
 * form for receiving (UQ...). The hash is that of the contract's StateInit, so the contract need not be deployed first.
 */
export function tonAddress(wallet: Wallet, publicKey: Uint8Array): string {
  const code = { hash: Buffer.from(wallet.codeHash, "hex"), depth: wallet.codeDepth }
  const data = cell(wallet.before + [...publicKey].map((byte) => bits(byte, 8)).join("") + wallet.after)
  const state = cell(STATE_INIT, code, data)
  const payload = Buffer.from([NON_BOUNCEABLE, WORKCHAIN, ...state.hash])
  const checksum = crc16(payload)
  return Buffer.from([...payload, checksum >> 8, checksum & 0xff]).toString("base64url")
}

type Cell = { readonly hash: Uint8Array; readonly depth: number }

/**
 * An ordinary cell (TON whitepaper, "The Open Network", 2.5; TVM, 3.1), by its representation:
 *
 *     SHA-256(references(1) || descriptor(1) || data || depth(2, BE) of each || hash(32) of each)
 */
function cell(data: string, ...references: readonly Cell[]): Cell {
  const depth = references.length === 0 ? 0 : 1 + Math.max(...references.map((child) => child.depth))
  const descriptor = Math.floor(data.length / 8) + Math.ceil(data.length / 8)
  const representation = [
    Uint8Array.of(references.length, descriptor),
    packed(data),
    ...references.map((child) => Uint8Array.of(child.depth >> 8, child.depth & 0xff)),
    ...references.map((child) => child.hash),
  ]
  return { hash: hash("sha256", Buffer.concat(representation), "buffer"), depth }
}

/** Bits that do not fill the last byte are followed by a 1 and zeros. */
function packed(data: string): Uint8Array {
  const whole = data.length % 8 === 0 ? data : `${data}1`.padEnd(Math.ceil(data.length / 8) * 8, "0")
  return Uint8Array.from(whole.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

function bits(value: number, width: number): string {
  return value.toString(2).padStart(width, "0")
}
