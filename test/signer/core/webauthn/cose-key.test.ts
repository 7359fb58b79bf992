import { ECDH, generateKeyPairSync } from "node:crypto"
import t from "tap"
import { credentialKeyName, hasKeyName, readCoseKey } from "../../../../signer/core/webauthn/cose-key.ts"
import { type CborMap, readCbor } from "../../../../signer/core/webauthn/cbor.ts"
import { coseKey } from "../../../harness/authenticator.ts"
import { type Cbor, CborPairs, writeCbor } from "../../../harness/cbor-writer.ts"
import { faultOf } from "./faults.ts"

type Pairs = readonly (readonly [Cbor, Cbor])[]

const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
const { x = "", y = "" } = publicKey.export({ format: "jwk" })
const ed25519 = generateKeyPairSync("ed25519").publicKey
const [X, Y] = [Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]
const p256: Pairs = [
  [1, 2],
  [3, -7],
  [-1, 1],
  [-2, X],
  [-3, Y],
]
const kindOf = (pairs: Pairs) => faultOf(() => readCoseKey(writeCbor(new CborPairs(...pairs))))
const without = (pairs: Pairs, label: Cbor) => pairs.filter(([name]) => name !== label)
const withValue = (pairs: Pairs, label: Cbor, value: Cbor): Pairs => [
  ...without(pairs, label),
  [label, value],
]

t.test("reads P-256 and RSA keys, their members in any order", async (t) => {
  t.ok(readCoseKey(coseKey(publicKey)).key.equals(publicKey))
  t.equal(readCoseKey(writeCbor(new CborPairs(...p256.toReversed()))).algorithm, -7)
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey
  const read = readCoseKey(coseKey(rsa))
  t.equal(read.algorithm, -257)
  t.ok(read.key.equals(rsa))
})

t.test("refuses a P-256 key that is not exactly one", async (t) => {
  const offCurve = Buffer.from(Y)
  offCurve[31] = (offCurve[31] ?? 0) ^ 1
  const prime = Buffer.from("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", "hex")
  const refused: Record<string, Pairs> = {
    "off the curve": withValue(p256, -3, offCurve),
    "the point at infinity, spelled as zeros": withValue(
      withValue(p256, -2, Buffer.alloc(32)),
      -3,
      Buffer.alloc(32),
    ),
    "a coordinate that is the prime": withValue(p256, -2, prime),
    "a coordinate of 31 bytes": withValue(p256, -2, X.subarray(1)),
    "a coordinate of 33 bytes": withValue(p256, -2, Buffer.concat([Buffer.alloc(1), X])),
    "a compressed point: y is a sign": withValue(p256, -3, true),
    "no y": without(p256, -3),
    "no curve": without(p256, -1),
    "another curve, P-384": withValue(p256, -1, 2),
    "another key type, octet pairs": withValue(p256, 1, 1),
    "an RSA key by its type": withValue(p256, 1, 3),
    "no algorithm": without(p256, 3),
    ES384: withValue(p256, 3, -35),
    "EdDSA over a P-256 key": withValue(p256, 3, -8),
    "RS256 over a P-256 key": withValue(p256, 3, -257),
    "the algorithm as text": withValue(p256, 3, "ES256"),
    "a private part": [...p256, [-4, Buffer.alloc(32, 1)]],
  }
  for (const [what, pairs] of Object.entries(refused)) t.equal(kindOf(pairs), "key", what)
})

t.test("refuses an RSA key of another size, exponent or spelling", async (t) => {
  const rsa = (modulus: Uint8Array, exponent: string): Pairs => [
    [1, 3],
    [3, -257],
    [-1, modulus],
    [-2, Buffer.from(exponent, "hex")],
  ]
  const modulusOf = (modulusLength: number) => {
    const { n = "" } = generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ format: "jwk" })
    return Buffer.from(n, "base64url")
  }
  const good = modulusOf(2048)
  const even = Buffer.from(good)
  even[even.length - 1] = 2
  const large = Buffer.alloc(513, 0xff)
  t.equal(kindOf(rsa(good, "010001")), "none")
  t.equal(kindOf(rsa(Buffer.alloc(512, 0xff), "010001")), "none", "4096 bits are the most")
  const refused: Record<string, Pairs> = {
    "1024 bits": rsa(modulusOf(1024), "010001"),
    "2047 bits": rsa(Buffer.concat([Buffer.of(0x7f), good.subarray(1)]), "010001"),
    "more than 4096 bits": rsa(large, "010001"),
    "a leading zero": rsa(Buffer.concat([Buffer.alloc(1), good]), "010001"),
    "an even modulus": rsa(even, "010001"),
    "no modulus": rsa(Buffer.alloc(0), "010001"),
    "exponent 3": rsa(good, "03"),
    "exponent 1": rsa(good, "01"),
    "exponent with a leading zero": rsa(good, "00010001"),
    "a private part": [...rsa(good, "010001"), [-3, Buffer.of(1)]],
    "the modulus as text": withValue(rsa(good, "010001"), -1, "n"),
  }
  for (const [what, pairs] of Object.entries(refused)) t.equal(kindOf(pairs), "key", what)
})

t.test("labels that no key of the type needs are ignored", async (t) => {
  const more: Pairs = [
    [2, Buffer.from("id")],
    [4, [2]],
    [5, Buffer.alloc(8)],
    [-70000, "ours"],
    ["text", true],
  ]
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey
  for (const key of [publicKey, rsa, ed25519]) {
    const pairs = [...(readCbor(coseKey(key)) as CborMap)] as Pairs
    const labelled = writeCbor(new CborPairs(...pairs, ...more))
    t.ok(readCoseKey(labelled).key.equals(key))
    t.equal(credentialKeyName(labelled), credentialKeyName(coseKey(key)), "and it is the same key")
  }
})

t.test("reads an Ed25519 key, and refuses one that is not exactly one", async (t) => {
  const read = readCoseKey(coseKey(ed25519))
  t.equal(read.algorithm, -8)
  t.ok(read.key.equals(ed25519))
  const okp = [...(readCbor(coseKey(ed25519)) as CborMap)] as Pairs
  const x = Buffer.from(ed25519.export({ format: "jwk" }).x ?? "", "base64url")
  t.equal(credentialKeyName(coseKey(ed25519)), `ed25519:${x.toString("base64url")}`)
  t.ok(hasKeyName(credentialKeyName(coseKey(ed25519)))(coseKey(ed25519)))
  t.notOk(hasKeyName(credentialKeyName(coseKey(ed25519)))(coseKey(generateKeyPairSync("ed25519").publicKey)))
  const refused: Record<string, Pairs> = {
    "another curve, Ed448": withValue(okp, -1, 7),
    "a key for agreement, X25519": withValue(okp, -1, 4),
    "31 bytes": withValue(okp, -2, x.subarray(1)),
    "33 bytes": withValue(okp, -2, Buffer.concat([x, Buffer.alloc(1)])),
    "another key type": withValue(okp, 1, 2),
    "no curve": without(okp, -1),
    "no x": without(okp, -2),
    "a private part": [...okp, [-4, Buffer.alloc(32, 1)]],
    "the neutral element": withValue(okp, -2, Buffer.from(`01${"00".repeat(31)}`, "hex")),
    "a point of order 8": withValue(
      okp,
      -2,
      Buffer.from("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", "hex"),
    ),
    "no point of the curve": withValue(okp, -2, Buffer.from(`02${"00".repeat(31)}`, "hex")),
    "a coordinate not below the prime": withValue(okp, -2, Buffer.from(`ee${"ff".repeat(30)}7f`, "hex")),
  }
  for (const [what, pairs] of Object.entries(refused)) t.equal(kindOf(pairs), "key", what)
})

t.test("refuses bytes that are no single map", async (t) => {
  t.equal(
    faultOf(() => readCoseKey(writeCbor([1, 2]))),
    "key",
  )
  const trailing = Buffer.concat([coseKey(publicKey), Buffer.of(0)])
  t.equal(
    faultOf(() => readCoseKey(trailing)),
    "malformed",
  )
  t.equal(kindOf([...p256, [3, -7]]), "malformed", "the algorithm twice")
})

t.test("a key's name is the number that OpenSSL reads from it", async (t) => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey
  t.equal(credentialKeyName(coseKey(rsa)), `rsa:${rsa.export({ format: "jwk" }).n}`)
  for (let round = 0; round < 8; round++) {
    const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey
    const point = ec.export({ format: "der", type: "spki" }).subarray(-65)
    const compressed = ECDH.convertKey(point, "prime256v1", undefined, "hex", "compressed")
    t.equal(credentialKeyName(coseKey(ec)), compressed)
  }
})

t.test("a key is read for its name only if its bytes contain the name's number", async (t) => {
  for (const key of [publicKey, generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey]) {
    const own = coseKey(key)
    const isSame = hasKeyName(credentialKeyName(own))
    t.ok(isSame(own))
    t.notOk(isSame(coseKey(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey)))
    t.notOk(isSame(Uint8Array.of(0)), "no key at all")
  }
  const opposite = withValue(
    p256,
    -3,
    Y.map((byte) => byte ^ 1),
  )
  t.notOk(
    hasKeyName(credentialKeyName(coseKey(publicKey)))(writeCbor(new CborPairs(...opposite))),
    "the same coordinate with the other sign",
  )
})
