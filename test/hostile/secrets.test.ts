import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  SecretRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { bundleWriter } from "../../signer/enclave/bundles/signed-bundle.ts"
import { openKeySet } from "../../signer/core/crypto/keyset.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { valueOf } from "../harness/api-client.ts"
import { Importer } from "../harness/bundles.ts"
import { Recipient, sealSecret, SecretUser } from "../harness/secrets.ts"
import { stampWith } from "../harness/stamper.ts"
import { allow, setupMembers } from "./consensus-fixture.ts"
import { allRefused, asRoot, bitFlips, refused, decodesDifferently, setup } from "./setup.ts"

const CONTENT = { plaintext: "correct horse battery staple", name: "vault" }
const IMPORT = "ACTIVITY_TYPE_IMPORT_SECRETS"
const EXPORT = "ACTIVITY_TYPE_EXPORT_SECRETS"

t.test("B4: a sealed secret with any byte altered opens nothing and gets the same refusal", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const { secrets } = await new SecretUser(fixture).sealed(CONTENT)
  const [good] = secrets
  const payload = JSON.parse(good?.secretPayload ?? "") as { [part: string]: string }
  const sentences = new Set<string>()
  const importing = async (secretPayload: string) => {
    const answer = await attempt("IMPORT_SECRETS", { secrets: [{ ...good, secretPayload }] })
    if (answer.is === "refused") sentences.add(answer.sentence)
    return answer
  }
  const altered = Object.entries(payload).flatMap(([part, digits]) =>
    bitFlips(Buffer.from(digits, "hex"), [0x01]).map((bytes) =>
      JSON.stringify({ ...payload, [part]: Buffer.from(bytes).toString("hex") }),
    ),
  )
  t.equal(altered.length, 65 + CONTENT.plaintext.length + 16, "point, content, tag")
  await allRefused(t, fixture, "BUNDLE_BROKEN", altered, importing)
  t.equal(sentences.size, 1)
  t.match(await importing(good?.secretPayload ?? ""), { is: "outcome" })
})

t.test("B4: a secret's import key serves only the user and organization that it was made for", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, eva } = fixture
  const other = await client.createOrganization("Other")
  await allow(fixture, { condition: "activity.resource == 'SECRET'" })
  const parameters = await new SecretUser(fixture, dan.key).sealed(CONTENT)
  const own = client.body(IMPORT, acme.organizationId, parameters)
  const elsewhere = client.body(IMPORT, other.organizationId, parameters)
  const code = "IMPORT_TARGET_UNKNOWN"
  await refused(t, fixture, code, () => client.send(own, eva.key), "another user who may import")
  await refused(t, fixture, code, () => client.send(own, acme.root), "the root quorum")
  await refused(t, fixture, code, () => client.send(elsewhere, other.root), "another organization")
  t.match(await client.send(own, dan.key), { is: "outcome" })
})

t.test("B4: import keys of wallets and of secrets do not serve for each other", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const user = new SecretUser(fixture)
  const importer = new Importer(fixture)
  const toWalletKey = { secrets: [await sealSecret(CONTENT, await importer.walletTarget(), user.by)] }
  await refused(t, fixture, "IMPORT_TARGET_UNKNOWN", () => attempt("IMPORT_SECRETS", toWalletKey))
  const { secrets } = await user.sealed({ plaintext: `${"abandon ".repeat(11)}about` })
  const wallet = await importer.wallet("Mine", `${"abandon ".repeat(11)}about`)
  const toSecretKey = { ...wallet, encryptedBundle: secrets[0]?.secretPayload }
  await refused(t, fixture, "BUNDLE_BROKEN", () => attempt("IMPORT_WALLET", toSecretKey))
  t.match(await attempt("IMPORT_WALLET", wallet), { is: "outcome" })
})

t.test("B4: a used import key takes no second secret, at once or after a restart", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const user = new SecretUser(fixture)
  const [target = ""] = await user.targets()
  const bodies = await Promise.all(
    ["one", "two", "three"].map(async (name) => {
      const secrets = [await sealSecret({ plaintext: `content of ${name}`, name }, target, user.by)]
      return client.body(IMPORT, acme.organizationId, { secrets })
    }),
  )
  const answers = await Promise.all(bodies.map((body) => client.send(body, acme.root)))
  t.equal(answers.filter(({ is }) => is === "outcome").length, 1)
  for (const answer of answers) if (answer.is === "refused") t.equal(answer.code, "IMPORT_TARGET_SPENT")
  await boundary.restart()
  const late = { secrets: [await sealSecret({ plaintext: "content of four" }, target, user.by)] }
  await refused(t, fixture, "IMPORT_TARGET_SPENT", () => asRoot(fixture).attempt("IMPORT_SECRETS", late))
})

t.test("B4: a client that pins the signer's key seals no secret to a key of the API tier", async (t) => {
  const fixture = await setup(t)
  const user = new SecretUser(fixture)
  const [good = ""] = await user.targets()
  const mallory = bundleWriter(openKeySet(Secret.copyOf(Buffer.alloc(32, 7))))
  const targetPublic = Buffer.from(new Recipient().targetPublicKey, "hex")
  const { organizationId, signerPublicKey } = user.by
  const forged = mallory.importTarget({ targetPublic, organizationId, userId: fixture.acme.rootUserId })
  const { data } = JSON.parse(forged) as { data: string }
  const other = await fixture.client.createOrganization("Other")
  const [foreign = ""] = await new SecretUser({ ...fixture, acme: other }).targets()
  for (const message of [
    forged,
    JSON.stringify({ ...JSON.parse(forged), enclaveQuorumPublic: signerPublicKey }),
    JSON.stringify({ ...JSON.parse(good), data }),
    foreign,
  ])
    await t.rejects(sealSecret(CONTENT, message, user.by))
  await t.resolves(sealSecret(CONTENT, good, user.by))
})

t.test(
  "what remains: a client that compares no user seals to a colleague's import key, which names them",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, acme, dan, eva } = fixture
    await allow(fixture, { condition: "activity.resource == 'SECRET'" })
    const [target = ""] = await new SecretUser(fixture, eva.key).targets()
    const user = new SecretUser(fixture, dan.key)
    const secrets = [await sealSecret(CONTENT, target, user.by)]
    const own = client.body(IMPORT, acme.organizationId, { secrets })
    await refused(
      t,
      fixture,
      "IMPORT_TARGET_UNKNOWN",
      () => client.send(own, dan.key),
      "it is not stored for dan",
    )
    t.match(await client.send(own, eva.key), { is: "outcome" }, "the colleague can import it")
    const { data } = JSON.parse(target) as { data: string }
    const { userId } = JSON.parse(Buffer.from(data, "hex").toString()) as { userId: string }
    t.equal(userId, eva.userId, "a client that compares the user does not seal to it")
  },
)

t.test("A2: refuses a secret's record with a bit flipped, at every byte, or of another secret", async (t) => {
  const fixture = await setup(t)
  const user = new SecretUser(fixture)
  const properties = { kind: "token" }
  const [id = "", other = ""] = await user.import({ ...CONTENT, properties }, { plaintext: "of another" })
  const { attempt, order } = asRoot(fixture)
  const exporting = order("EXPORT_SECRETS", { secrets: [new Recipient().asks(id)] })
  const bytes = fixture.client.records.get(id)!
  const altered = decodesDifferently(RecordSchema, bytes, bitFlips(bytes))
  await allRefused(t, fixture, "RECORD_FORGED", altered, (record) => exporting(record))
  const record = fromBinary(RecordSchema, bytes)
  const theirs = fromBinary(RecordSchema, fixture.client.records.get(other)!)
  const relabelled = {
    ...fromBinary(SecretRecordSchema, record.payload),
    staticProperties: [],
  }
  const made = [
    { ...record, payload: toBinary(SecretRecordSchema, relabelled) },
    { ...record, payload: theirs.payload },
    { ...record, sealed: theirs.sealed },
    { ...theirs, id },
    { ...record, kind: RecordKind.PRIVATE_KEY },
  ].map((one) => toBinary(RecordSchema, one))
  await allRefused(t, fixture, "RECORD_FORGED", made, (one) => exporting(one))
  t.match(await exporting(bytes), { is: "outcome" })

  const deleted = order("EXPORT_SECRETS", { secrets: [new Recipient().asks(id)] })
  t.match(await attempt("DELETE_SECRETS", { secretIds: [id] }), { is: "outcome" })
  for (const restarts of [0, 1]) {
    if (restarts > 0) await fixture.boundary.restart()
    await refused(t, fixture, "RECORD_DELETED", () => deleted(bytes), `deleted, ${restarts} restarts`)
  }
})

t.test("B4: secrets go only to the keys that the request names, each named with its secret", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const user = new SecretUser(fixture)
  const [first = "", second = ""] = await user.import(CONTENT, { plaintext: "of another" })
  const recipient = new Recipient()
  const secrets = [recipient.asks(first), recipient.asks(second)]
  const body = client.body(EXPORT, acme.organizationId, { secrets })
  const redirected = body.replaceAll(recipient.targetPublicKey, new Recipient().targetPublicKey)
  const attack = () => client.offer(redirected, stampWith(acme.root, body))
  await refused(t, fixture, "STAMP_INVALID", attack, "to a key of the API tier's own")
  const outcome = await user.submit("EXPORT_SECRETS", { secrets })
  const { secretPayloads } = valueOf(outcome, "exportSecretsResult")
  const named = secretPayloads.map((payload) => {
    const { data } = JSON.parse(payload) as { data: string }
    return (JSON.parse(Buffer.from(data, "hex").toString()) as { secretId: string }).secretId
  })
  t.same(named, [first, second], "a client that compares the ids notices exchanged payloads")
  const offCurve = { ...recipient.asks(first), targetPublicKey: `04${"11".repeat(64)}` }
  const wrong = () =>
    asRoot(fixture).attempt("EXPORT_SECRETS", { secrets: [recipient.asks(second), offCurve] })
  await refused(t, fixture, "TARGET_KEY_INVALID", wrong, "all or none")
})
