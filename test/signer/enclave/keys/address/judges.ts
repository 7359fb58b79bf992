// Addresses as each chain's own published library makes them, of a private key: 32 bytes.
import { Account, Ed25519PrivateKey } from "@aptos-labs/ts-sdk"
import { Secp256k1Wallet } from "@cosmjs/amino"
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519"
import { ed25519 } from "@noble/curves/ed25519.js"
import { p256 } from "@noble/curves/nist.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { createKeyPairSignerFromPrivateKeyBytes } from "@solana/kit"
import { Keypair } from "@stellar/stellar-base"
import { keyPairFromSeed } from "@ton/crypto"
import { WalletContractV3R2, WalletContractV4, WalletContractV5R1 } from "@ton/ton"
import { initEccLib, type Network, networks, type Payment, payments } from "bitcoinjs-lib"
import { deriveAddress } from "ripple-keypairs"
import * as ecc from "tiny-secp256k1"
import { TronWeb } from "tronweb"
import { privateKeyToAddress } from "viem/accounts"
import type { Curve } from "../../../../../signer/core/crypto/curve.ts"
import { toHex } from "../tools.ts"

export type Judge = { curve: Curve; address(privateKey: Uint8Array): string | Promise<string> }

const k1 = (address: Judge["address"]): Judge => ({ curve: "CURVE_SECP256K1", address })
const ed = (address: Judge["address"]): Judge => ({ curve: "CURVE_ED25519", address })
const nist = (address: Judge["address"]): Judge => ({ curve: "CURVE_P256", address })

initEccLib(ecc)

/** Bitcoin and, by the version byte of its keys' hashes, Dogecoin. */
const { bitcoin, testnet, regtest } = networks
const dogecoin = { ...bitcoin, pubKeyHash: 30 }
const dogecoinTestnet = { ...bitcoin, pubKeyHash: 113 }

type Pay = (pubkey: Uint8Array, network: Network) => Payment
const scripts: Record<string, Pay> = {
  P2PKH: (pubkey, network) => payments.p2pkh({ pubkey, network }),
  P2SH: (pubkey, network) => payments.p2sh({ redeem: payments.p2wpkh({ pubkey, network }), network }),
  P2WPKH: (pubkey, network) => payments.p2wpkh({ pubkey, network }),
  P2WSH: (pubkey, network) => payments.p2wsh({ redeem: payments.p2pkh({ pubkey, network }), network }),
  P2TR: (pubkey, network) => payments.p2tr({ internalPubkey: pubkey.slice(1), network }),
}

function bitcoinJudges(name: string, network: Network): [string, Judge[]][] {
  return Object.entries(scripts).map(([script, pay]) => [`BITCOIN_${name}_${script}`, [paid(pay, network)]])
}

function paid(pay: Pay | undefined, network: Network): Judge {
  return k1((key) => pay?.(secp256k1.getPublicKey(key), network).address ?? "")
}

function ton(wallet: typeof WalletContractV3R2 | typeof WalletContractV4 | typeof WalletContractV5R1): Judge {
  return ed((key) => {
    const { publicKey } = keyPairFromSeed(Buffer.from(key))
    return wallet.create({ workchain: 0, publicKey }).address.toString({ bounceable: false })
  })
}

function cosmos(prefix: string): Judge {
  return k1(async (key) => {
    const [account] = await (await Secp256k1Wallet.fromKey(key, prefix)).getAccounts()
    return account?.address ?? ""
  })
}

/** By the name of the format without ADDRESS_FORMAT_; one judge for each curve it is made from. */
export const judges = new Map<string, Judge[]>([
  [
    "UNCOMPRESSED",
    [
      k1((key) => toHex(secp256k1.getPublicKey(key, false))),
      nist((key) => toHex(p256.getPublicKey(key, false))),
    ],
  ],
  [
    "COMPRESSED",
    [
      k1((key) => toHex(secp256k1.getPublicKey(key))),
      ed((key) => toHex(ed25519.getPublicKey(key))),
      nist((key) => toHex(p256.getPublicKey(key))),
    ],
  ],
  ["ETHEREUM", [k1((key) => privateKeyToAddress(`0x${toHex(key)}`))]],
  ["SOLANA", [ed(async (key) => (await createKeyPairSignerFromPrivateKeyBytes(key)).address)]],
  ["COSMOS", [cosmos("cosmos")]],
  ["TRON", [k1((key) => String(TronWeb.address.fromPrivateKey(toHex(key))))]],
  ["SUI", [ed((key) => Ed25519Keypair.fromSecretKey(key).toSuiAddress())]],
  [
    "APTOS",
    [
      ed((key) => {
        const privateKey = new Ed25519PrivateKey(key, false)
        return Account.fromPrivateKey({ privateKey }).accountAddress.toStringLong()
      }),
    ],
  ],
  ...bitcoinJudges("MAINNET", bitcoin),
  ...bitcoinJudges("TESTNET", testnet),
  ...bitcoinJudges("SIGNET", testnet),
  ...bitcoinJudges("REGTEST", regtest),
  ["SEI", [cosmos("sei")]],
  ["XLM", [ed((key) => Keypair.fromRawEd25519Seed(Buffer.from(key)).publicKey())]],
  ["DOGE_MAINNET", [paid(scripts["P2PKH"], dogecoin)]],
  ["DOGE_TESTNET", [paid(scripts["P2PKH"], dogecoinTestnet)]],
  ["TON_V3R2", [ton(WalletContractV3R2)]],
  ["TON_V4R2", [ton(WalletContractV4)]],
  ["XRP", [k1((key) => deriveAddress(toHex(secp256k1.getPublicKey(key))))]],
  ["TON_V5R1", [ton(WalletContractV5R1)]],
])
