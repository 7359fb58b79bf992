import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  SecretRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { Recipient, sealSecret, SecretUser, SUITE } from "../../../../harness/secrets.ts"
import { child } from "../../../../harness/sub-organization.ts"
import { asRoot, exportOnce, refused, type Fixture, setup } from "../../../../hostile/setup.ts"

const CARD = { plaintext: '{"number":"4242"}', name: "card", properties: { kind: "card", scope: "ops" } }
const HOUR_MS = 60 * 60 * 1000

function recordOf({ client }: Fixture, id: string) {
  const record = fromBinary(RecordSchema, client.records.get(id)!)
  return { record, secret: fromBinary(SecretRecordSchema, record.payload) }
}

t.test("secrets are exported as imported, also after a restart, each to its own recipient", async (t) => {
  const fixture = await setup(t)
  const user = new SecretUser(fixture)
  const plain = { plaintext: "naïve 🔑\n" }
  const [card = "", nameless = ""] = await user.import(CARD, plain)
  t.match(recordOf(fixture, card), {
    record: { kind: RecordKind.SECRET, version: 1n },
    secret: {
      name: "card",
      staticProperties: [
        { key: "kind", value: "card" },
        { key: "scope", value: "ops" },
      ],
    },
  })
  t.match(recordOf(fixture, nameless).secret, { name: "", staticProperties: [] })
  await fixture.boundary.restart()
  t.same(await user.contents(nameless, card, nameless), [plain.plaintext, CARD.plaintext, plain.plaintext])

  const [one, other] = [new Recipient(), new Recipient()]
  const secrets = [one.asks(card), other.asks(card)]
  const outcome = await user.submit("EXPORT_SECRETS", { secrets })
  const [first = "", second = ""] = valueOf(outcome, "exportSecretsResult").secretPayloads
  t.equal(await one.open(first, user.by), CARD.plaintext)
  t.equal(await other.open(second, user.by), CARD.plaintext)
  await t.rejects(other.open(first, user.by))
  t.same(outcome.records, [], "an export changes no record")
})

t.test("a secret has 1 byte to the operator's number of bytes", async (t) => {
  const fixture = await setup(t)
  const user = new SecretUser(fixture)
  const max = 16 * 1024
  await t.resolves(user.import({ plaintext: "x".repeat(max) }, { plaintext: "y" }))
  for (const plaintext of ["", "x".repeat(max + 1)]) {
    const parameters = await user.sealed({ plaintext: "first" }, { plaintext })
    const attack = () => asRoot(fixture).attempt("IMPORT_SECRETS", parameters)
    await refused(t, fixture, "SECRET_SIZE_INVALID", attack, `${plaintext.length} bytes`)
  }
  const strict = await setup(t, { COUNTERSIGN_SIGNER_MAX_SECRET_BYTES: "8" })
  const other = new SecretUser(strict)
  await t.resolves(other.import({ plaintext: "8 bytes." }))
  const parameters = await other.sealed({ plaintext: "9 bytes.." })
  await refused(t, strict, "SECRET_SIZE_INVALID", () => asRoot(strict).attempt("IMPORT_SECRETS", parameters))
})

t.test("32 secrets of the largest size are exported at once", async (t) => {
  const max = 32 * 1024
  const fixture = await setup(t, { COUNTERSIGN_SIGNER_MAX_SECRET_BYTES: String(max) })
  const user = new SecretUser(fixture)
  const ids: string[] = []
  for (let part = 0; part < 4; part++) {
    const contents = Array.from({ length: 8 }, (_, index) => ({
      plaintext: `${part}${index}`.padEnd(max, "x"),
    }))
    ids.push(...(await user.import(...contents)))
  }
  const contents = await user.contents(...ids)
  t.same(
    contents.map((content) => [content.slice(0, 2), content.length]),
    ids.map((_, index) => [`${Math.floor(index / 8)}${index % 8}`, max]),
  )
})

t.test("names and the keys of properties are unique", async (t) => {
  const fixture = await setup(t)
  const user = new SecretUser(fixture)
  const { attempt } = asRoot(fixture)
  const [id = ""] = await user.import(CARD)
  const twin = await user.sealed({ plaintext: "two", name: "two" }, { ...CARD, plaintext: "another" })
  await refused(t, fixture, "NAME_TAKEN", () => attempt("IMPORT_SECRETS", twin))
  const twins = await user.sealed({ plaintext: "one", name: "same" }, { plaintext: "two", name: "same" })
  await refused(t, fixture, "NAME_TAKEN", () => attempt("IMPORT_SECRETS", twins))

  const property = { key: "kind", value: "card" }
  const { secrets } = await user.sealed({ plaintext: "three" })
  const doubled = { secrets: [{ ...secrets[0], staticProperties: [property, property] }] }
  await refused(t, fixture, "PROPERTY_NAMED_TWICE", () => attempt("IMPORT_SECRETS", doubled))
  const asked = { ...new Recipient().asks(id), requestContext: [property, property] }
  await refused(t, fixture, "PROPERTY_NAMED_TWICE", () => attempt("EXPORT_SECRETS", { secrets: [asked] }))
  const stated = { ...asked, requestContext: [property] }
  t.match(await attempt("EXPORT_SECRETS", { secrets: [stated] }), { is: "outcome" })
})

t.test("an import key serves one secret for one hour; a refused import spends none", async (t) => {
  const fixture = await setup(t)
  const user = new SecretUser(fixture)
  const { attempt } = asRoot(fixture)
  const [first = "", second = "", third = ""] = await user.targets(3)
  const seal = (plaintext: string, target: string) => sealSecret({ plaintext }, target, user.by)
  const twice = { secrets: [await seal("one", first), await seal("two", first)] }
  await refused(t, fixture, "IMPORT_TARGET_SPENT", () => attempt("IMPORT_SECRETS", twice), "in one import")
  const once = { secrets: [await seal("one", first)] }
  t.match(await attempt("IMPORT_SECRETS", once), { is: "outcome" })
  const again = { secrets: [await seal("three", first)] }
  await refused(t, fixture, "IMPORT_TARGET_SPENT", () => attempt("IMPORT_SECRETS", again), "in a later one")

  const sealedToSecond = await seal("four", second)
  const crossed = {
    secrets: [{ ...sealedToSecond, targetPublicKey: (await seal("x", third)).targetPublicKey }],
  }
  await refused(
    t,
    fixture,
    "BUNDLE_BROKEN",
    () => attempt("IMPORT_SECRETS", crossed),
    "under another key's name",
  )
  const unknown = { secrets: [{ ...sealedToSecond, targetPublicKey: new Recipient().targetPublicKey }] }
  await refused(t, fixture, "IMPORT_TARGET_UNKNOWN", () => attempt("IMPORT_SECRETS", unknown))
  fixture.boundary.clock.pass(HOUR_MS)
  const late = { secrets: [sealedToSecond] }
  await refused(t, fixture, "IMPORT_TARGET_EXPIRED", () => attempt("IMPORT_SECRETS", late))
})

t.test("64 import keys of a user are kept: used ones give way first, then the oldest", async (t) => {
  const fixture = await setup(t)
  const user = new SecretUser(fixture)
  const [oldest = ""] = await user.targets(1)
  const [kept = ""] = await user.targets(32)
  const [newest = ""] = await user.targets(32)
  const { attempt } = asRoot(fixture)
  const parameters = async (target: string) => ({
    secrets: [await sealSecret({ plaintext: "kept content" }, target, user.by)],
  })
  const displaced = await parameters(oldest)
  await refused(t, fixture, "IMPORT_TARGET_UNKNOWN", () => attempt("IMPORT_SECRETS", displaced))
  t.match(await attempt("IMPORT_SECRETS", await parameters(newest)), { is: "outcome" })
  await user.targets(1)
  t.match(await attempt("IMPORT_SECRETS", await parameters(kept)), { is: "outcome" })
  for (const numSecrets of [0, 33]) {
    const attack = () => attempt("INIT_IMPORT_SECRETS", { encryptionSuite: SUITE, numSecrets })
    await refused(t, fixture, "REQUEST_INVALID", attack, `${numSecrets} keys`)
  }
})

t.test("deleted secrets are gone, and their names are free", async (t) => {
  const fixture = await setup(t)
  const user = new SecretUser(fixture)
  const [id = "", other = ""] = await user.import(CARD, { plaintext: "other" })
  const secretIds = [id.toUpperCase(), id]
  const outcome = await user.submit("DELETE_SECRETS", { secretIds })
  t.same(valueOf(outcome, "deleteSecretsResult").secretIds, [id], "an id named twice counts once")
  const { attempt } = asRoot(fixture)
  const both = { secrets: [new Recipient().asks(other), new Recipient().asks(id)] }
  await refused(t, fixture, "RECORD_DELETED", () => attempt("EXPORT_SECRETS", both), "all or none")
  await refused(t, fixture, "RECORD_DELETED", () => attempt("DELETE_SECRETS", { secretIds: [id] }))
  const [next = ""] = await user.import({ ...CARD, plaintext: "rotated" })
  t.same(await user.contents(next), ["rotated"])
})

t.test("a sub-organization with secrets is deleted only with deleteWithoutExport", async (t) => {
  const fixture = await setup(t)
  const below = { ...fixture, acme: await child(fixture.client, fixture.acme) }
  const user = new SecretUser(below)
  await user.import(CARD)
  await exportOnce(below, below.acme.walletId)
  const { attempt } = asRoot(below)
  await refused(t, below, "SECRETS_NOT_DELETED", () => attempt("DELETE_SUB_ORGANIZATION", {}))
  t.match(await attempt("DELETE_SUB_ORGANIZATION", { deleteWithoutExport: true }), { is: "outcome" })
})
