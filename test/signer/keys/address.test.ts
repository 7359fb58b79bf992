import t from "tap"
import { addressOf, canonicalAddress, requireAddressFormat } from "../../../signer/keys/address/index.ts"
import { ethereumAddressBytes } from "../../../signer/keys/address/ethereum.ts"
import type { Curve } from "../../../signer/keys/curve.ts"
import { ownVectors } from "../../harness/vectors.ts"
import { refusalOf } from "./tools.ts"

type Key = {
  curve: Curve
  path: string
  publicKey: string
  uncompressed?: string
  addresses: Record<string, string>
}
type Own = { keys: Key[]; refusedFormats: [Curve, string][]; unservedFormats: string[] }
const own = ownVectors<Own>("derivations")
const publicKeyOf = ({ curve, publicKey, uncompressed }: Key) => ({
  curve,
  publicKeyHex: publicKey,
  publicKeyUncompressed: uncompressed,
})
const keyOn = (curve: Curve) => publicKeyOf(own.keys.find((key) => key.curve === curve) as Key)

t.test("writes the addresses of our vectors", async (t) => {
  for (const key of own.keys) {
    for (const [format, address] of Object.entries(key.addresses)) {
      t.equal(addressOf(format, publicKeyOf(key)), address, `${key.curve} ${key.path} ${format}`)
    }
  }
})

t.test("refuses a format that the curve cannot have", async (t) => {
  for (const [curve, format] of own.refusedFormats) {
    const refusal = refusalOf(() => addressOf(format, keyOn(curve), "parameters.accounts[0].addressFormat"))
    t.match(
      refusal,
      { code: "ADDRESS_FORMAT_INVALID", field: "parameters.accounts[0].addressFormat" },
      `${curve} ${format}`,
    )
  }
})

t.test("refuses formats of later releases by name, and others without repeating them", async (t) => {
  for (const format of own.unservedFormats) {
    const refusal = refusalOf(() => requireAddressFormat(format, "CURVE_SECP256K1"))
    t.match(refusal, {
      code: "ADDRESS_FORMAT_INVALID",
      message: `invalid address format: ${format} is not served`,
    })
  }
  for (const format of [
    "",
    "constructor",
    "__proto__",
    "ADDRESS_FORMAT_",
    "<script>",
    "ADDRESS_FORMAT_ethereum",
  ]) {
    const refusal = refusalOf(() => requireAddressFormat(format, "CURVE_SECP256K1"))
    t.match(refusal, {
      code: "ADDRESS_FORMAT_INVALID",
      message: "invalid address format: it is no name of a format",
    })
  }
})

t.test("one address has one canonical text where case carries nothing", async (t) => {
  const ethereum = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
  t.equal(canonicalAddress(ethereum), ethereum.toLowerCase())
  for (const key of own.keys) {
    t.equal(canonicalAddress(key.publicKey.toUpperCase()), key.publicKey)
    if (key.uncompressed) t.equal(canonicalAddress(key.uncompressed.toUpperCase()), key.uncompressed)
  }
})

t.test("Base58 addresses, ids and all else stay as they are", async (t) => {
  for (const text of [
    "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk",
    "8F2B1C9E-0000-4000-8000-000000000001",
    "0X9858EFFD232B4033E47D90003D41EC34ECAEDA94",
    "0x9858EFFD",
    "",
    "AB".repeat(33),
  ]) {
    t.equal(canonicalAddress(text), text)
  }
})

t.test("reads an Ethereum address in one case or with the right checksum", async (t) => {
  const address = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
  t.ok(ethereumAddressBytes(address))
  t.ok(ethereumAddressBytes(address.toLowerCase()))
  t.ok(ethereumAddressBytes(`0x${address.slice(2).toUpperCase()}`))
  t.equal(ethereumAddressBytes(address.replace("Ef", "eF")), undefined)
  t.equal(ethereumAddressBytes(address.slice(2)), undefined)
  t.equal(ethereumAddressBytes(`${address}00`), undefined)
})
