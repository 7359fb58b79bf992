import { base58, bech32, bech32m } from "@scure/base"
import { elementAt } from "../crypto/element.ts"
import { base58check, hash160 } from "./encoding.ts"

/** Version bytes of Base58Check and the readable part of SegWit addresses (BIP-173), as in chainparams.cpp. */
type Network = { readonly keyHash: number; readonly scriptHash: number; readonly segwit: string }

export const bitcoinNetworks = {
  MAINNET: { keyHash: 0x00, scriptHash: 0x05, segwit: "bc" },
  TESTNET: { keyHash: 0x6f, scriptHash: 0xc4, segwit: "tb" },
  // Signet has the same addresses as testnet; regtest differs in SegWit only.
  SIGNET: { keyHash: 0x6f, scriptHash: 0xc4, segwit: "tb" },
  REGTEST: { keyHash: 0x6f, scriptHash: 0xc4, segwit: "bcrt" },
} as const satisfies Record<string, Network>

export type BitcoinNetwork = keyof typeof bitcoinNetworks

export type BitcoinScript = "P2PKH" | "P2SH" | "P2WPKH" | "P2WSH" | "P2TR"

/** `type`: empty for a witness version that has no meaning yet. */
export type BitcoinAddress = { readonly type: BitcoinScript | ""; readonly address: string }

// Scripts of outputs. The bytes between are a hash or a witness program.
const [OP_DUP, OP_EQUAL, OP_EQUALVERIFY, OP_HASH160, OP_CHECKSIG] = [0x76, 0x87, 0x88, 0xa9, 0xac] as const
const [HASH160_BYTES, HASH256_BYTES] = [20, 32] as const
/** OP_1, which pushes witness version 1. Version 0 is the byte 0. */
const OP_1 = 0x51
const MAX_WITNESS_VERSION = 16
const MAX_PROGRAM_BYTES = 40

/** OP_DUP OP_HASH160, 20 bytes, OP_EQUALVERIFY OP_CHECKSIG. `key`: compressed point. */
export function payToKeyHash(key: Uint8Array): Uint8Array {
  return Uint8Array.of(OP_DUP, OP_HASH160, HASH160_BYTES, ...hash160(key), OP_EQUALVERIFY, OP_CHECKSIG)
}

/** OP_HASH160, 20 bytes, OP_EQUAL. */
export function payToScriptHash(script: Uint8Array): Uint8Array {
  return Uint8Array.of(OP_HASH160, HASH160_BYTES, ...hash160(script), OP_EQUAL)
}

/** Witness program (BIP-141): version, then the program's length and bytes. */
export function payToWitness(version: number, program: Uint8Array): Uint8Array {
  return Uint8Array.of(version === 0 ? 0 : OP_1 + version - 1, program.length, ...program)
}

/** The parts of a witness program; undefined for any other script. */
export function readWitnessProgram(script: Uint8Array): { version: number; program: Uint8Array } | undefined {
  if (script.length < 4 || script.length > MAX_PROGRAM_BYTES + 2) return undefined
  const opcode = elementAt(script, 0)
  const version = opcode === 0 ? 0 : opcode - OP_1 + 1
  if (version < 0 || version > MAX_WITNESS_VERSION || (opcode !== 0 && opcode < OP_1)) return undefined
  if (elementAt(script, 1) !== script.length - 2) return undefined
  return { version, program: script.subarray(2) }
}

/** The address that an output's script pays to; undefined if the script has none. */
export function addressOfScript(script: Uint8Array, name: BitcoinNetwork): BitcoinAddress | undefined {
  const network: Network = bitcoinNetworks[name]
  const witness = readWitnessProgram(script)
  if (witness !== undefined) return witnessAddress(witness, network)
  if (hasParts(script, [OP_DUP, OP_HASH160, HASH160_BYTES], [OP_EQUALVERIFY, OP_CHECKSIG]))
    return { type: "P2PKH", address: base58check(network.keyHash, script.subarray(3, 23)) }
  if (hasParts(script, [OP_HASH160, HASH160_BYTES], [OP_EQUAL]))
    return { type: "P2SH", address: base58check(network.scriptHash, script.subarray(2, 22)) }
  return undefined
}

/** Witness version 0 is Bech32 (BIP-173), all later ones Bech32m (BIP-350). */
function witnessAddress(
  { version, program }: { version: number; program: Uint8Array },
  { segwit }: Network,
): BitcoinAddress | undefined {
  const type = witnessType(version, program.length)
  if (type === undefined) return undefined
  const encoding = version === 0 ? bech32 : bech32m
  return { type, address: encoding.encode(segwit, [version, ...encoding.toWords(program)]) }
}

/** Undefined: no output of this script can be spent (BIP-141). */
function witnessType(version: number, length: number): BitcoinAddress["type"] | undefined {
  if (version === 0) return ({ [HASH160_BYTES]: "P2WPKH", [HASH256_BYTES]: "P2WSH" } as const)[length]
  return version === 1 && length === HASH256_BYTES ? "P2TR" : ""
}

/** True if 20 bytes stand between the two parts. */
function hasParts(script: Uint8Array, before: readonly number[], after: readonly number[]): boolean {
  const end = before.length + HASH160_BYTES
  return (
    script.length === end + after.length &&
    before.every((byte, index) => script[index] === byte) &&
    after.every((byte, index) => script[end + index] === byte)
  )
}

/** True if the text has the form of the P2TR addresses derived here; the checksum is not verified. */
export function isTaprootAddress(text: string): boolean {
  return /^(?:bc|tb|bcrt)1p[02-9ac-hj-np-z]{58}$/.test(text)
}

const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{26,35}$/

/** True for an address of any network as addressOfScript writes it, with its checksum. */
export function isBitcoinAddress(text: string): boolean {
  const networks: readonly Network[] = Object.values(bitcoinNetworks)
  if (BASE58_ADDRESS.test(text)) {
    const bytes = base58.decode(text)
    const version = elementAt(bytes, 0)
    const isKnown = networks.some(({ keyHash, scriptHash }) => version === keyHash || version === scriptHash)
    return isKnown && base58check(version, bytes.subarray(1, HASH160_BYTES + 1)) === text
  }
  const encoding = [bech32, bech32m].find((one) => one.decodeUnsafe(text) !== undefined)
  const { prefix, words: [version, ...words] = [] } = encoding?.decodeUnsafe(text) ?? {}
  const network = networks.find(({ segwit }) => segwit === prefix)
  const program = encoding?.fromWordsUnsafe(words)
  if (network === undefined || version === undefined || !program) return false
  return witnessAddress({ version, program }, network)?.address === text
}
