import { generateKeyPairSync } from "node:crypto"
import t from "tap"
import { type CborMap, readCbor } from "../../../../signer/core/webauthn/cbor.ts"
import { type Registration, verifyRegistration } from "../../../../signer/core/webauthn/registration.ts"
import { type CreationDeparture, coseKey, Passkey } from "../../../harness/authenticator.ts"
import { type Cbor, CborPairs, writeCbor } from "../../../harness/cbor-writer.ts"
import { readCoseKey } from "../../../../signer/core/webauthn/cose-key.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { faultOf } from "./faults.ts"

const passkey = new Passkey()
const rsaPasskey = new Passkey({ algorithm: "RS256" })
const edPasskey = new Passkey({ algorithm: "EdDSA" })

function registration(departure: CreationDeparture = {}, from = passkey): Registration {
  const { challenge, attestation } = from.create("key", departure)
  const { credentialId, clientDataJson, attestationObject } = attestation
  return { challenge, credentialId, clientDataJson, attestationObject }
}

const kindOf = (sent: Registration, origins?: readonly string[]) =>
  faultOf(() => verifyRegistration(sent, origins))

t.test("keeps what later assertions are held against", async (t) => {
  for (const from of [passkey, rsaPasskey, edPasskey]) {
    const kept = verifyRegistration(registration({}, from), undefined)
    t.same(kept.credentialId, from.credentialId)
    t.same(kept.publicKey, from.publicKey)
    t.same(kept.aaguid, from.aaguid)
    t.equal(kept.attestationType, "none")
    t.equal(kept.rpIdHash.length, 32)
  }
})

t.test("takes a credential id raw or as CBOR, and no other", async (t) => {
  const sent = registration()
  const named = (bytes: Uint8Array) =>
    kindOf({ ...sent, credentialId: Buffer.from(bytes).toString("base64url") })
  t.equal(named(writeCbor(passkey.credentialId)), "none")
  t.equal(named(new Passkey().credentialId), "credential")
  t.equal(named(writeCbor(new Passkey().credentialId)), "credential")
  t.equal(named(writeCbor(passkey.credentialIdText)), "credential", "CBOR text")
  t.equal(
    named(Buffer.concat([writeCbor(passkey.credentialId), Buffer.of(0)])),
    "credential",
    "a byte behind",
  )
  t.equal(named(Buffer.alloc(0)), "credential")
})

t.test("compares challenges by their text, in whatever alphabet apps write them", async (t) => {
  const challenge = "-_-_abcd-_-_"
  const sent = { ...registration({ challenge }), challenge }
  t.equal(kindOf(sent), "none")
  t.equal(kindOf({ ...sent, challenge: "+/+/abcd+/+/" }), "none", "base64")
  const padded = registration({ challenge: "-_-_abc" })
  t.equal(kindOf({ ...padded, challenge: "+/+/abc=" }), "none", "base64 with padding")
  const hex = "0123456789abcdef".repeat(4)
  t.equal(
    kindOf({ ...registration({ challenge: hex }), challenge: hex }),
    "none",
    "hexadecimal, as apps send it",
  )
  t.equal(kindOf({ ...sent, challenge: "-_-_abcd-_-A" }), "challenge")
  t.equal(kindOf({ ...sent, challenge: "" }), "challenge")
  t.equal(kindOf({ ...sent, challenge: `${challenge}===` }), "challenge", "too much padding")
})

t.test("B7: refuses a ceremony of another type, challenge, origin, or without a user", async (t) => {
  const origins = ["https://example.org"]
  t.equal(kindOf(registration(), origins), "none", "the unaltered twin")
  t.equal(kindOf(registration({ type: "webauthn.get" })), "ceremony")
  t.equal(kindOf(registration({ type: "webauthn.creates" })), "ceremony")
  t.equal(kindOf(registration({ challenge: "AAAA" })), "challenge")
  t.equal(kindOf(registration({ origin: "https://evil.example" }), origins), "origin")
  t.equal(kindOf(registration({ origin: "https://evil.example" })), "none", "any origin where none is set")
  t.equal(kindOf(registration({ flags: 0x40 })), "ceremony", "nobody was there")
  t.equal(kindOf(registration({ flags: 0x44 })), "ceremony", "verified, yet not present")
  t.equal(kindOf(registration({ flags: 0x45 })), "none", "present and verified")
  t.equal(kindOf(registration({ flags: 0x01 })), "credential", "no credential in it")
})

t.test("B7: refuses public keys that cannot be used", async (t) => {
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey
  t.equal(kindOf(registration({ publicKey: coseKey(p384) })), "key")
  const offCurve = Buffer.from(passkey.publicKey)
  offCurve[offCurve.length - 1]! ^= 1
  t.equal(kindOf(registration({ publicKey: offCurve })), "key")
  t.equal(kindOf(registration({ publicKey: writeCbor([1]) })), "key")
  t.equal(kindOf(registration({ publicKey: Buffer.of(0xff) })), "malformed")
})

t.test("B7: refuses what cannot be read, member by member", async (t) => {
  const sent = registration()
  const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes as string).toString("base64url")
  const attested = Buffer.from(sent.attestationObject, "base64url")
  const map = (...pairs: ConstructorParameters<typeof CborPairs>) => writeCbor(new CborPairs(...pairs))
  const clientData = (text: string) => ({ clientDataJson: base64url(text) })
  const object = (bytes: Uint8Array) => ({ attestationObject: base64url(bytes) })
  const refused: Record<string, Partial<Registration>> = {
    "client data that is no base64url": { clientDataJson: "e30!" },
    "client data in standard base64": { clientDataJson: "+/+/" },
    "client data that is no JSON": clientData("{"),
    "client data that is a list": clientData("[]"),
    "client data with a member twice": clientData('{"type":"a","type":"b","challenge":"","origin":""}'),
    "client data without origin": clientData('{"type":"webauthn.create","challenge":"AAAA"}'),
    "client data whose crossOrigin is text": clientData(
      '{"type":"webauthn.create","challenge":"AAAA","origin":"x","crossOrigin":"no"}',
    ),
    "client data whose topOrigin is a number": clientData(
      '{"type":"webauthn.create","challenge":"AAAA","origin":"x","topOrigin":1}',
    ),
    "client data with a byte order mark": clientData(
      `\ufeff${Buffer.from(sent.clientDataJson, "base64url").toString()}`,
    ),
    "an attestation object that is no base64url": { attestationObject: "o2Nm!" },
    "an attestation object that is a list": object(writeCbor([])),
    "an attestation object with a byte behind": object(Buffer.concat([attested, Buffer.of(0)])),
    "an attestation object that is cut off": object(attested.subarray(0, -1)),
    "an attestation object without statement": object(map(["fmt", "none"], ["authData", Buffer.alloc(37)])),
    "authenticator data that is text": object(
      map(["fmt", "none"], ["attStmt", new CborPairs()], ["authData", "x"]),
    ),
    "a statement that is a list": object(
      map(["fmt", "none"], ["attStmt", []], ["authData", Buffer.alloc(37)]),
    ),
    "a credential id that is no base64url": { credentialId: "a" },
  }
  for (const [what, change] of Object.entries(refused))
    t.equal(kindOf({ ...sent, ...change }), "malformed", what)
  t.equal(kindOf(registration({ format: "" })), "malformed", "an empty format")
  t.equal(kindOf(registration({ format: 'x"y' })), "malformed", "a format with a quotation mark")
  t.equal(kindOf(registration({ format: "x".repeat(33) })), "malformed", "a format that is too long")
  t.equal(kindOf(registration({ extensions: Buffer.of(0) })), "malformed", "bytes behind the key")
})

t.test("registers what people reported as refused, and nothing that the standard refuses", async (t) => {
  const { passkeys } = ownVectors<{ passkeys: (Registration & { name: string })[] }>("reported")
  const [extra, backedUp] = passkeys
  if (extra === undefined || backedUp === undefined) throw new Error("there are two of them")
  const { publicKey, attestationType } = verifyRegistration(extra, ["http://localhost:3000"])
  t.equal(attestationType, "none")
  t.equal(readCoseKey(publicKey).algorithm, -7)
  t.equal(kindOf(backedUp), "malformed", backedUp.name)
})

t.test("keeps the name of a format that it does not verify", async (t) => {
  const sent = registration({
    format: "tpm",
    statement: () => new CborPairs(["ver", "2.0"], ["sig", Buffer.of(1)]),
  })
  t.equal(verifyRegistration(sent, undefined).attestationType, "tpm")
  t.equal(
    kindOf(registration({ statement: () => new CborPairs(["x", 1]) })),
    "malformed",
    "none says nothing",
  )
})

t.test("B7: verifies a packed statement by the credential's own key", async (t) => {
  type Statement = NonNullable<CreationDeparture["statement"]>
  const packed = (statement: Statement, from = passkey) =>
    kindOf(registration({ format: "packed", statement }, from))
  const self: Statement = (signed, from) =>
    new CborPairs(["alg", from.coseAlgorithm], ["sig", from.sign(signed)])
  t.equal(packed(self), "none")
  t.equal(packed(self, rsaPasskey), "none")
  t.equal(packed(self, edPasskey), "none")
  const flipped: Statement = (signed) => {
    const signature = passkey.sign(signed)
    signature[signature.length - 1]! ^= 1
    return new CborPairs(["alg", -7], ["sig", signature])
  }
  t.equal(packed(flipped), "signature")
  t.equal(
    packed((signed) => new CborPairs(["alg", -257], ["sig", passkey.sign(signed)])),
    "signature",
    "alg",
  )
  t.equal(
    packed((signed) => new CborPairs(["alg", -7], ["sig", rsaPasskey.sign(signed)])),
    "signature",
  )
  t.equal(
    packed((signed) => new CborPairs(["alg", -7], ["sig", new Passkey().sign(signed)])),
    "signature",
  )
  t.equal(
    packed(() => new CborPairs(["alg", -7], ["sig", Buffer.alloc(0)])),
    "signature",
    "no signature",
  )
  t.equal(
    packed(() => new CborPairs(["alg", -7], ["sig", "text"])),
    "malformed",
  )
  t.equal(
    packed(() => new CborPairs()),
    "malformed",
  )
  t.equal(
    packed(
      (signed) => new CborPairs(["alg", -7], ["sig", passkey.sign(signed)], ["ecdaaKeyId", Buffer.of(1)]),
    ),
    "malformed",
  )
  const chains = [[], [Buffer.of(0x30)], ["text"], new CborPairs(), null, true]
  for (const x5c of chains) {
    t.equal(
      packed((signed) => new CborPairs(["alg", -7], ["sig", passkey.sign(signed)], ["x5c", x5c])),
      "malformed",
    )
  }
})

t.test("members of an attestation object that are not used are ignored", async (t) => {
  const { attestationObject, ...sent } = registration({})
  const map = readCbor(Buffer.from(attestationObject, "base64url")) as CborMap
  const more = new CborPairs(
    ["fmt", "none"],
    ["attStmt", new CborPairs()],
    ["authData", map.get("authData") as Uint8Array],
    ["epAtt", true],
    ["largeBlobKey", Buffer.alloc(32)],
  )
  t.equal(kindOf({ ...sent, attestationObject: writeCbor(more).toString("base64url") }), "none")
})

t.test("a compound attestation is two statements or more, each of which is checked", async (t) => {
  const compound = (parts: (signed: Buffer) => Cbor) =>
    registration({ format: "compound", statement: (signed) => parts(signed) })
  const none = new CborPairs(["fmt", "none"], ["attStmt", new CborPairs()])
  const packed = (signed: Buffer, by = passkey) =>
    new CborPairs(["fmt", "packed"], ["attStmt", new CborPairs(["alg", -7], ["sig", by.sign(signed)])])
  const good = compound((signed) => [packed(signed), none])
  t.equal(verifyRegistration(good, undefined).attestationType, "compound")
  t.equal(
    kindOf(compound((signed) => [none, packed(signed, new Passkey())])),
    "signature",
    "another key's, as the second",
  )
  const malformed: Record<string, Cbor> = {
    "one statement": [none],
    "no statement": [],
    "a map": new CborPairs(),
    "a part that is no map": [none, "none"],
    "a part without format": [none, new CborPairs(["attStmt", new CborPairs()])],
    "a part without statement": [none, new CborPairs(["fmt", "tpm"])],
    "a compound part": [none, new CborPairs(["fmt", "compound"], ["attStmt", new CborPairs()])],
    "a part of the format none that says something": [
      none,
      new CborPairs(["fmt", "none"], ["attStmt", new CborPairs(["x", 1])]),
    ],
  }
  for (const [what, parts] of Object.entries(malformed))
    t.equal(kindOf(compound(() => parts)), "malformed", what)
})
