// Texts that stand for bytes come from requests, replies and files. Each is read in its one spelling, or refused in plain words: a reader
// that skips characters takes one text for another, or a part for the whole.
import { generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { NotarizedDocumentSchema } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { SetupCodeSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { readFilter } from "../../services/api/queries/shared/sub-organization-filter.ts"
import { revertEntry } from "../../services/api/resources/reverts.ts"
import { claimsOfIdToken } from "../../services/auth-proxy/token-claims.ts"
import { organizationOfLink } from "../../services/dashboard/api/enter.ts"
import { isSignedBySigner } from "../../services/dashboard/api/signed-bundle.ts"
import { readSignedDocument } from "../../services/dashboard/api/signed-document.ts"
import { readSetupCode } from "../../services/terminal-client/setup-code.ts"
import { p256Point } from "../../signer/core/crypto/p256.ts"
import { openSetupCode, writeSetupCode } from "../../signer/enclave/provision/setup-code.ts"

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
const point = Buffer.from(p256Point(privateKey)).toString("hex")
const statement = Buffer.from("a statement of 25 letters")
const signature = sign("sha256", statement, privateKey).toString("hex")

/** The value that `read` returns for a text, or the sentence of its refusal. */
const outcome = (read: () => unknown) => {
  try {
    return read()
  } catch (error) {
    return (error as Error).message
  }
}

const code = create(SetupCodeSchema, {
  publicKey: `02${"ab".repeat(32)}`,
  pinsDigest: randomBytes(32),
  expiresAtMs: 4_000_000_000_000n,
})
const MAC_KEY = randomBytes(32)
// Lengths that leave bits over: their last character has four or sixteen spellings for a reader that is not strict.
const link = randomBytes(48).toString("base64url")
const claims = Buffer.from('{"iss":"https://a.example"}').toString("base64url")
const document = Buffer.from(
  toBinary(NotarizedDocumentSchema, create(NotarizedDocumentSchema, { signature: randomBytes(64) })),
).toString("base64")

const READERS: { name: string; text: string; read: (text: string) => unknown; refusal: unknown }[] = [
  {
    name: "a setup code",
    text: Buffer.from(toBinary(SetupCodeSchema, code)).toString("base64url"),
    read: (text) => readSetupCode(text, 0).publicKey,
    refusal: /^not a setup code\./,
  },
  {
    name: "a setup code in the signer",
    text: writeSetupCode({ ...code, organizationId: "0198c0de-0000-7000-8000-000000000001" }, MAC_KEY),
    read: (text) => openSetupCode(text, MAC_KEY).publicKey,
    refusal: /^the setup code was not issued by this deployment$/,
  },
  { name: "the secret of a one-use link", text: link, read: organizationOfLink, refusal: undefined },
  {
    name: "a bundle of the signer",
    text: statement.toString("hex"),
    read: (text) => isSignedBySigner(text, signature, point.repeat(2)),
    refusal: false,
  },
  {
    name: "a signature of the signer",
    text: signature,
    read: (text) => isSignedBySigner(statement.toString("hex"), text, point.repeat(2)),
    refusal: false,
  },
  {
    name: "a signed document",
    text: document,
    read: (text) => readSignedDocument(text, undefined).isSigned,
    refusal: /^the API's reply is no document: it is not base64$/,
  },
  {
    name: "the payload of an ID token",
    text: claims,
    read: (text) => claimsOfIdToken(`e30.${text}.AA`)["iss"],
    refusal: /^invalid OIDC token: it is not a compact JWT$/,
  },
  {
    name: "the credential id of a filter",
    // Cut by a letter, random bytes are right in one of sixteen cases; these are not.
    text: Buffer.alloc(20, 0xff).toString("base64url"),
    read: (text) => readFilter({ filterType: "CREDENTIAL_ID", filterValue: text }).by,
    refusal: /filterValue must be base64url/,
  },
]

for (const { name, text, read, refusal } of READERS)
  t.test(`C-1852: ${name} is read in its one spelling`, (t) => {
    const value = outcome(() => read(text))
    t.notMatch({ value }, { value: refusal }, "as it is written")
    const wrong = [`${text}!`, `${text.slice(0, 8)} ${text.slice(8)}`, text.slice(0, -1), `*${text}`]
    for (const other of wrong) t.match({ is: outcome(() => read(other)) }, { is: refusal }, other)
    t.end()
  })

t.test("C-1852: the last character of base64url has no second spelling", (t) => {
  const text = Buffer.from([1, 2, 3, 4]).toString("base64url")
  t.equal(text, "AQIDBA")
  t.match(readFilter({ filterType: "CREDENTIAL_ID", filterValue: text }), { by: "identity" })
  t.throws(() => readFilter({ filterType: "CREDENTIAL_ID", filterValue: "AQIDBB" }), {
    message: /filterValue must be base64url/,
  })
  t.end()
})

t.test("C-1852: revert data of another spelling has no reason, rather than a part of one", (t) => {
  const reason = `0x${Buffer.from("abcdef").toString("hex")}`
  t.notMatch(revertEntry("0x", reason, []).displayMessage, /without a reason/)
  t.match(revertEntry("0x", reason.toUpperCase().replace("0X", "0x"), []), revertEntry("0x", reason, []))
  for (const other of [`${reason}f`, `${reason}zz`, `0x zz${reason.slice(2)}`])
    t.equal(revertEntry("0x", other, []).displayMessage, "execution reverted without a reason", other)
  t.end()
})
