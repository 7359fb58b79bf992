// Keys of the ledger's rows, computed here from their definition.
import { createHmac } from "node:crypto"
import t from "tap"
import { AddressFormat } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  accountOfKey,
  addressKey,
  fingerprintDigest,
  HAS_HAD_PENDING,
  issuerRowKey,
  nameKey,
  readAddressTarget,
  readAddressTargets,
  readWalletAccount,
  sealedSecretKey,
  walletAccountKey,
  writeAddressTargets,
  writeWalletAccount,
} from "../../../../../signer/enclave/execution/state/ledger-keys.ts"

const identity = new Uint8Array(32).fill(3)
const keyring = { identity } as never

function digest(domain: string, value: string | Uint8Array): string {
  const parts = [`countersign/v1/${domain}`, value].map((part) => Buffer.from(part))
  const input = parts.flatMap((part) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(part.length)
    return [length, part]
  })
  return createHmac("sha256", identity).update(Buffer.concat(input)).digest("hex")
}

t.test("a row's key is a keyed digest in a domain of its own", async (t) => {
  const address = "0xAbCdEf0123456789aBcDeF0123456789AbCdEf01"
  t.equal(addressKey(keyring, address), digest("address", address.toLowerCase()))
  t.equal(nameKey(keyring, "wallet", "Main"), digest("name:wallet", "Main"))
  t.equal(nameKey(keyring, "private key", "Main"), digest("name:private-key", "Main"))
  t.equal(issuerRowKey(keyring, "https://issuer"), digest("issuer", "https://issuer"))
  t.equal(fingerprintDigest(keyring, "ff"), digest("fingerprint", "ff"))
  const sealed = Uint8Array.of(0xff, 0)
  t.equal(sealedSecretKey(keyring, "client-secret", sealed), digest("client-secret", sealed))
  t.equal(sealedSecretKey(keyring, "on-ramp-key", sealed), digest("on-ramp-key", sealed))
  t.strictSame(HAS_HAD_PENDING, { kind: "waited", key: "", value: new Uint8Array(0) })
})

t.test("an account's row names its wallet, its address and its export", async (t) => {
  const key = walletAccountKey({ walletId: "wallet", accountId: "account" })
  t.equal(key, "wallet/account")
  t.equal(accountOfKey(key), "account")
  for (const isExported of [true, false]) {
    const row = writeWalletAccount({ key: "ab", isExported })
    t.equal(Buffer.from(row).toString(), isExported ? "ab exported" : "ab")
    t.same(readWalletAccount(row), { key: "ab", isExported })
  }
})

t.test("an address names its holders, oldest first", async (t) => {
  const addressFormat = AddressFormat.ETHEREUM
  const account = { accountId: "account", walletId: "wallet", addressFormat }
  const privateKey = { privateKeyId: "key" }
  const row = writeAddressTargets([account, privateKey])
  t.equal(Buffer.from(row).toString(), `account wallet ${addressFormat}\nkey`)
  t.same(readAddressTargets(row), [account, privateKey])
  t.same(readAddressTarget(row), account)
  t.same(readAddressTarget(writeAddressTargets([privateKey, account])), privateKey)
})
