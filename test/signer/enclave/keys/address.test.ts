import fc from "fast-check"
import t from "tap"
import { AddressFormatSchema } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  addressOf,
  canonicalAddress,
  requireAddressFormat,
} from "../../../../signer/enclave/keys/address/index.ts"
import { ethereumAddressBytes } from "../../../../signer/core/address/ethereum.ts"
import type { Curve } from "../../../../signer/core/crypto/curve.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { refusalOf } from "./tools.ts"
import { runsOf } from "../../../harness/long.ts"

type Key = {
  curve: Curve
  path: string
  publicKey: string
  uncompressed?: string
  addresses: Record<string, string>
}
type Own = {
  keys: Key[]
  refusedFormats: [Curve, string][]
  tonForms: Record<string, string[]>
}
const own = ownVectors<Own>("derivations")
const publicKeyOf = ({ curve, publicKey, uncompressed }: Key) => ({
  curve,
  publicKeyHex: publicKey,
  publicKeyUncompressed: uncompressed,
})
const keyOn = (curve: Curve) => publicKeyOf(own.keys.find((key) => key.curve === curve) as Key)
const addresses = own.keys.flatMap((key) => Object.values(key.addresses))

t.test("addressOf writes the addresses of the project's vectors", async (t) => {
  for (const key of own.keys) {
    for (const [format, address] of Object.entries(key.addresses)) {
      t.equal(addressOf(format, publicKeyOf(key)), address, `${key.curve} ${key.path} ${format}`)
    }
  }
})

t.test("addressOf writes the addresses printed in the standards", async (t) => {
  for (const [source, address] of [
    ["BIP-49", "2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2"],
    ["BIP-84", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu"],
    ["BIP-86", "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"],
    ["SEP-5, test 5", "GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX"],
    ["first development account of Hardhat", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"],
  ] as const) {
    t.ok(addresses.includes(address), source)
  }
})

t.test("addressOf writes the Spark addresses of published clients' tests", async (t) => {
  for (const [format, publicKeyHex, address] of [
    [
      "ADDRESS_FORMAT_SPARK_MAINNET",
      "02894808873b896e21d29856a6d7bb346fb13c019739adb9bf0b6a8b7e28da53da",
      "spark1pgss9z2gpzrnhztwy8ffs44x67angma38sqewwddhxlsk65t0c5d5576quly2j",
    ],
    [
      "ADDRESS_FORMAT_SPARK_REGTEST",
      "0353908bac090ba741de6147a540a665537006911590f93249b2823dbe187d3213",
      "sparkrt1pgssx5us3wkqjza8g80xz3a9gznx25msq6g3ty8exfym9q3ahcv86vsnxxdy83",
    ],
  ] as const) {
    const key = { curve: "CURVE_SECP256K1", publicKeyHex, publicKeyUncompressed: undefined } as const
    t.equal(addressOf(format, key), address)
  }
})

t.test("every address format exists for some curve, and has a vector for each", async (t) => {
  const pairs = own.keys.flatMap(({ curve, addresses }) =>
    Object.keys(addresses).map((format) => `${curve} ${format}`),
  )
  const refused = own.refusedFormats.map((pair) => pair.join(" "))
  const formats = AddressFormatSchema.values
    .map(({ name }) => name)
    .filter((name) => name !== "ADDRESS_FORMAT_UNSPECIFIED")
  t.equal(formats.length, 38)
  const all = formats.flatMap((format) =>
    ["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"].map((curve) => `${curve} ${format}`),
  )
  t.strictSame([...new Set(pairs), ...refused].toSorted(), all.toSorted())
})

t.test("a format that does not exist for the curve is refused", async (t) => {
  for (const [curve, format] of own.refusedFormats) {
    const refusal = refusalOf(() => addressOf(format, keyOn(curve), "parameters.accounts[0].addressFormat"))
    t.match(
      refusal,
      {
        code: "ADDRESS_FORMAT_INVALID",
        field: "parameters.accounts[0].addressFormat",
        message: `invalid address format: ${format} does not exist for ${curve}`,
      },
      `${curve} ${format}`,
    )
  }
})

t.test("unserved formats are refused by name, other text is not repeated", async (t) => {
  t.match(
    refusalOf(() => requireAddressFormat("ADDRESS_FORMAT_OF_TOMORROW", "CURVE_SECP256K1")),
    {
      code: "ADDRESS_FORMAT_INVALID",
      message: "invalid address format: ADDRESS_FORMAT_OF_TOMORROW is not served",
    },
  )
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
      message: "invalid address format: it is not the name of a format",
    })
  }
})

t.test("different addresses have different canonical texts, and canonical texts are their own", async (t) => {
  t.ok(new Set(addresses).size > 100)
  t.equal(new Set(addresses.map(canonicalAddress)).size, new Set(addresses).size)
  for (const address of addresses)
    t.equal(canonicalAddress(canonicalAddress(address)), canonicalAddress(address))
})

t.test("hex and Bech32 addresses have one canonical text in upper and lower case", async (t) => {
  const hex = /^0x[0-9a-fA-F]+$|^[0-9a-f]{64,}$/
  const bech32 = /^(?:bc|tb|bcrt|cosmos|sei)1[0-9a-z]+$/
  let count = 0
  for (const address of addresses.filter((text) => hex.test(text) || bech32.test(text))) {
    const upper = bech32.test(address) ? address.toUpperCase() : address.toUpperCase().replace("0X", "0x")
    t.equal(canonicalAddress(upper), address.toLowerCase())
    t.equal(canonicalAddress(address), address.toLowerCase())
    count++
  }
  t.ok(count > 60)
})

t.test("all forms of a TON account have one canonical text, damaged forms have not", async (t) => {
  for (const [address, forms] of Object.entries(own.tonForms)) {
    const raw = forms.at(-1) ?? ""
    const standard = address.replaceAll("-", "+").replaceAll("_", "/")
    for (const form of [
      address,
      ...forms,
      raw.replace("0:", "").toUpperCase().padStart(66, "0:"),
      standard,
    ]) {
      t.equal(canonicalAddress(form), raw)
    }
    const bytes = Buffer.from(address, "base64")
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes)
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0x40, at)
      const text = damaged.toString("base64url")
      if (canonicalAddress(text) !== text) t.fail(`byte ${at}`)
    }
  }
})

t.test("any text has one canonical text, which is stable", async () => {
  const damaged = fc
    .tuple(fc.constantFrom(...addresses), fc.nat(), fc.string({ maxLength: 2 }))
    .map(([address, at, text]) => {
      const cut = at % address.length
      return address.slice(0, cut) + text + address.slice(cut + text.length)
    })
  const ton = fc.uint8Array({ minLength: 36, maxLength: 36 }).map((b) => Buffer.from(b).toString("base64url"))
  const text = fc.oneof(
    fc.string({ maxLength: 140 }),
    damaged,
    damaged.map((text) => text.toUpperCase()),
    ton,
  )
  fc.assert(
    fc.property(text, (text) => {
      const once = canonicalAddress(text)
      return canonicalAddress(once) === once
    }),
    { seed: 20_251_121, numRuns: runsOf(3000) },
  )
})

t.test("Base58 and StrKey addresses, ids and all other texts are their own canonical text", async (t) => {
  const caseful = own.keys.flatMap(({ addresses }) =>
    Object.entries(addresses)
      .filter(([format]) => /SOLANA|TRON|XRP|XLM|DOGE|P2PKH|P2SH/.test(format))
      .map(([, address]) => address),
  )
  for (const text of [
    ...caseful,
    "8F2B1C9E-0000-4000-8000-000000000001",
    "0X9858EFFD232B4033E47D90003D41EC34ECAEDA94",
    "0x9858EFFD",
    "",
    "AB".repeat(33),
    "bc1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ",
    "LTC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ",
    `-1:${"AB".repeat(32)}`,
    `00:${"AB".repeat(32)}`,
    "+_".repeat(24),
    `0x${"AB".repeat(32)}\n`,
  ]) {
    t.equal(canonicalAddress(text), text)
  }
})

t.test("Ethereum addresses are read in one case or with a correct checksum", async (t) => {
  const address = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
  t.ok(ethereumAddressBytes(address))
  t.ok(ethereumAddressBytes(address.toLowerCase()))
  t.ok(ethereumAddressBytes(`0x${address.slice(2).toUpperCase()}`))
  t.equal(ethereumAddressBytes(address.replace("Ef", "eF")), undefined)
  t.equal(ethereumAddressBytes(address.slice(2)), undefined)
  t.equal(ethereumAddressBytes(`${address}00`), undefined)
})
