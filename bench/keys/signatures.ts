import { createPrivateKey, hash, type KeyObject, randomBytes, sign } from "node:crypto"
import { p256 } from "@noble/curves/nist.js"
import libsecp256k1 from "secp256k1/bindings.js"
import { signSchnorr } from "tiny-secp256k1"
import { ArchivedRecords } from "../../signer/enclave/execution/state/archived-records.ts"
import type { HeldKey } from "../../signer/enclave/execution/state/held-key.ts"
import type { HeldWallet } from "../../signer/enclave/execution/state/held-wallet.ts"
import { cacheName } from "../../signer/enclave/execution/workspace/cache-names.ts"
import { Records } from "../../signer/enclave/execution/workspace/records.ts"
import { OrderVault } from "../../signer/enclave/modules/wallets/powers/vault.ts"
import { KeyCache } from "../../signer/enclave/keys/cache.ts"
import { p256PrivateKey } from "../../signer/core/crypto/p256.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import type { Signable } from "../../signer/enclave/keys/signing-key.ts"
import { account, makeWallet, type Made } from "./accounts.ts"
import { type OwnSigner, someKey } from "./own-signer.ts"
import { takeTurns } from "./turns.ts"

/** Per second, of one kind of signature in one round. */
export type SignatureRound = { bare: number; warm: number; cold: number }

/** A kind of signature: who makes it here, what is signed, and the library's own loop that it is compared with. */
type Kind = { name: string; library: string; account: object; input: Signable; bare: () => unknown }

const message = randomBytes(64)
const digest = hash("sha256", message, "buffer")
const raw = someKey()
const p256Key = p256PrivateKey(Secret.copyOf(raw))
const ed25519Key = ed25519Of(raw)

const kinds: readonly Kind[] = [
  {
    name: "secp256k1, ECDSA",
    library: "libsecp256k1",
    account: account("SECP256K1", "ETHEREUM", "m/44'/60'/0'/0/0"),
    input: { digest },
    bare: () => libsecp256k1.ecdsaSign(digest, raw),
  },
  {
    name: "secp256k1, Taproot",
    library: "libsecp256k1; bare: as WebAssembly",
    account: account("SECP256K1", "BITCOIN_MAINNET_P2TR", "m/86'/0'/0'/0/0"),
    input: { digest },
    bare: () => signSchnorr(digest, raw),
  },
  {
    name: "Ed25519",
    library: "node:crypto",
    account: account("ED25519", "SOLANA", "m/44'/501'/0'/0'"),
    input: { message },
    bare: () => sign(null, message, ed25519Key),
  },
  {
    name: "P-256, SHA-256 of bytes",
    library: "node:crypto",
    account: account("P256", "COMPRESSED", "m/44'/0'/0'/0/0"),
    input: { digest, sha256Of: message },
    bare: () => sign("sha256", message, p256Key),
  },
  {
    name: "P-256, digest",
    library: "noble",
    account: account("P256", "COMPRESSED", "m/44'/0'/0'/0/1"),
    input: { digest },
    bare: () => p256.sign(digest, raw, { prehash: false, lowS: true }),
  },
]

export const signatureKinds: readonly { name: string; library: string }[] = kinds

/** Each kind through vault, cache and signing key, warm and cold, in turns with the bare library. */
export async function prepareSignatures(
  own: OwnSigner,
): Promise<(seconds: number) => Record<string, SignatureRound>> {
  const wallet = await makeWallet(
    own,
    kinds.map((kind) => kind.account),
  )
  const prepared = kinds.map(({ name, bare, input }, at) => {
    const { warm, cold } = paths(own, wallet, at, input)
    return { name, operations: [bare, warm, cold] }
  })
  return (seconds) => {
    const round: Record<string, SignatureRound> = {}
    for (const { name, operations } of prepared) {
      const [bare = 0, warm = 0, cold = 0] = takeTurns(operations, seconds)
      round[name] = { bare, warm, cold }
    }
    return round
  }
}

const HOUR_MS = 3_600_000

/** A vault for each signature, as each order has one. Cold: neither key nor records are in a cache. */
function paths({ state, organizationId }: OwnSigner, wallet: Made, at: number, input: Signable) {
  const { keyring, ledger } = state
  const cache = new KeyCache<HeldKey>({ maxEntries: 1, ttlMs: 24 * HOUR_MS })
  const { address: signWith = "" } = wallet.accounts[at] ?? {}
  const heldWallets = new KeyCache<HeldWallet>({ maxEntries: 1, ttlMs: 24 * HOUR_MS })
  const name = cacheName(organizationId, signWith)
  const warm = () => {
    const records = new Records(organizationId, [], keyring.records, state)
    const archive = new ArchivedRecords(ledger, keyring.records)
    const source = { organizationId, records, keyring, ledger, archive, cache, heldWallets }
    const vault = new OrderVault({ ...source, nowMs: 0 })
    return vault.signingKey(signWith).sign(input)
  }
  const cold = () => {
    cache.delete(name)
    heldWallets.clear()
    return warm()
  }
  return { warm, cold }
}

function ed25519Of(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed])
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" })
}
