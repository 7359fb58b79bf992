import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecordKind, RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { ethereumAccount, outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { Importer, Reader, sealText } from "../harness/bundles.ts"
import { stampWith } from "../harness/stamper.ts"
import { readArchive } from "../../signer/enclave/rpc/reads.ts"
import { allRefused, asRoot, bitFlips, ledgerDigest, refused, setup } from "./setup.ts"

const WORDS = `${"abandon ".repeat(11)}about`

t.test("B4: a bundle with any byte altered opens nothing and gets the same refusal", async (t) => {
  const fixture = await setup(t)
  const { attempt } = asRoot(fixture)
  const good = await new Importer(fixture).wallet("Mine", WORDS)
  const bundle = JSON.parse(good.encryptedBundle) as { [part: string]: string }
  const sentences = new Set<string>()
  const importing = async (encryptedBundle: string) => {
    const answer = await attempt("IMPORT_WALLET", { ...good, encryptedBundle })
    if (answer.is === "refused") sentences.add(answer.sentence)
    return answer
  }
  const altered = Object.entries(bundle).flatMap(([part, digits]) =>
    bitFlips(Buffer.from(digits, "hex"), [0x01]).map((bytes) =>
      JSON.stringify({ ...bundle, [part]: Buffer.from(bytes).toString("hex") }),
    ),
  )
  t.equal(altered.length, 65 + WORDS.length + 16, "point, words, tag")
  await allRefused(t, fixture, "BUNDLE_BROKEN", altered, importing)
  t.equal(sentences.size, 1)
  t.match(await importing(good.encryptedBundle), { is: "outcome" })
})

t.test("B4: a bundle sealed for another user is refused, as is one sent by another user", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { organizationId, root, rootUserId } = acme
  const alice = await client.user(acme, "alice")
  const quorum = { threshold: 1, userIds: [rootUserId, alice.userId] }
  await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
  const theirs = await new Importer(fixture, alice).wallet("Alice's", WORDS)
  const ours = await new Importer(fixture).wallet("Mine", WORDS)
  const importing = (parameters: object) => () => asRoot(fixture).attempt("IMPORT_WALLET", parameters)
  await refused(t, fixture, "PERMISSION_DENIED", importing(theirs), "for alice")
  await refused(t, fixture, "BUNDLE_BROKEN", importing({ ...theirs, userId: rootUserId }), "for root")
  for (const type of ["INIT_IMPORT_WALLET", "INIT_IMPORT_PRIVATE_KEY"]) {
    const asking = () => asRoot(fixture).attempt(type, { userId: alice.userId })
    await refused(t, fixture, "PERMISSION_DENIED", asking, `${type} for alice`)
  }
  const body = client.body("ACTIVITY_TYPE_IMPORT_WALLET", organizationId, theirs)
  t.match(await client.send(body, alice.key), { is: "outcome" }, "alice imports their own bundle")
  t.match(await importing(ours)(), { is: "outcome" }, "root imports their own bundle")
})

t.test("B4: a bundle sealed for another organization is refused", async (t) => {
  const fixture = await setup(t)
  const other = await fixture.client.createOrganization("Other")
  const theirs = await new Importer({ ...fixture, acme: other }).wallet("Theirs", WORDS)
  const ours = await new Importer(fixture).wallet("Ours", WORDS)
  const { encryptedBundle } = theirs
  const importing = (parameters: object) => asRoot(fixture).attempt("IMPORT_WALLET", parameters)
  await refused(t, fixture, "BUNDLE_BROKEN", () => importing({ ...ours, encryptedBundle }))
  await refused(t, fixture, "PERMISSION_DENIED", () => importing(theirs), "nor in the name of its user")
  t.match(await importing(ours), { is: "outcome" })
  t.match(await asRoot({ ...fixture, acme: other }).attempt("IMPORT_WALLET", theirs), { is: "outcome" })
})

t.test(
  "B4: a used import key opens no second bundle, whatever the API tier supplies, also after a restart",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, boundary } = fixture
    const { organizationId, root } = acme
    const importer = new Importer(fixture)
    const document = client.documents.get(organizationId)!
    const parameters = await importer.wallet("Mine", WORDS)
    const before = [...client.records.values()]
    const first = outcomeOf(await asRoot(fixture).attempt("IMPORT_WALLET", parameters))
    const { walletId } = valueOf(first, "importWalletResult")
    await asRoot(fixture).submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    const body = client.body("ACTIVITY_TYPE_IMPORT_WALLET", organizationId, parameters)
    const records = [...before, ...first.records, ...client.records.values()]
    const again = () => client.order(body, stampWith(root, body), { document, records })
    for (const restarts of [0, 1]) {
      if (restarts > 0) await boundary.restart()
      await refused(t, fixture, "IMPORT_TARGET_SPENT", again, `${restarts} restarts`)
    }
    const { records: archived } = await readArchive(
      { organizationId, afterRecordId: "", activityFingerprints: [] } as never,
      boundary.signer,
    )
    const kinds = [...archived, ...client.records.values()].map(
      (bytes) => fromBinary(RecordSchema, bytes).kind,
    )
    t.same(
      new Set(kinds),
      new Set([RecordKind.WALLET, RecordKind.WALLET_ACCOUNT]),
      "wallets and accounts: the key was never handed out, sealed or not",
    )
  },
)

t.test("B4: of two imports with one key at once only one runs", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const importer = new Importer(fixture)
  const importBundle = await importer.walletTarget()
  const bodies = await Promise.all(
    ["one", "two", "three"].map(async (walletName) => {
      const encryptedBundle = await sealText(WORDS, importBundle, importer.whose)
      const parameters = { userId: importer.whose.userId, walletName, encryptedBundle, accounts: [] }
      return client.body("ACTIVITY_TYPE_IMPORT_WALLET", acme.organizationId, parameters)
    }),
  )
  const answers = await Promise.all(bodies.map((body) => client.send(body, acme.root)))
  const ran = answers.filter(({ is }) => is === "outcome")
  t.equal(ran.length, 1)
  for (const answer of answers) if (answer.is === "refused") t.equal(answer.code, "IMPORT_TARGET_SPENT")
})

t.test("A2: an export takes the wallet's own current record, and no other", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId, address } = fixture
  const other = await client.createOrganization("Other")
  const theirs = await client.wallet(other, "Theirs")
  const second = await client.wallet(acme, "Second")
  const { targetPublicKey } = new Reader()
  const orders = {
    words: asRoot(fixture).order("EXPORT_WALLET", { walletId, targetPublicKey }),
    account: asRoot(fixture).order("EXPORT_WALLET_ACCOUNT", { address, targetPublicKey }),
  }
  const stored = (id: string) => client.records.get(id)!
  const read = (id: string) => fromBinary(RecordSchema, stored(id))
  const account = [...client.records.values()].find((bytes) => isAccount(fromBinary(RecordSchema, bytes)))!
  const made = [
    toBinary(RecordSchema, { ...read(second.walletId), id: walletId }),
    toBinary(RecordSchema, { ...read(walletId), sealed: read(second.walletId).sealed }),
    toBinary(RecordSchema, { ...read(walletId), sealed: read(theirs.walletId).sealed }),
  ]
  await allRefused(t, fixture, "RECORD_FORGED", made, (record) => orders.words(record))
  await allRefused(t, fixture, "RECORD_FORGED", made, (record) => orders.account(record, account))
  await refused(
    t,
    fixture,
    "CONTEXT_MISSING",
    () => orders.words(stored(second.walletId)),
    "another wallet's",
  )
  const foreign = () => orders.words(stored(theirs.walletId))
  await refused(t, fixture, "RECORD_OF_ANOTHER_ORGANIZATION", foreign)

  const old = stored(walletId)
  const exported = asRoot(fixture)
  await exported.submit("EXPORT_WALLET", { walletId, targetPublicKey })
  for (const restarts of [0, 1]) {
    if (restarts > 0) await fixture.boundary.restart()
    await refused(
      t,
      fixture,
      "RECORD_ROLLED_BACK",
      () => orders.words(old),
      "the one that was not exported yet",
    )
    await refused(t, fixture, "RECORD_ROLLED_BACK", () => orders.account(old, account))
  }
  t.match(await orders.words(stored(walletId)), { is: "outcome" })
})

t.test(
  "A2: a deleted wallet neither signs nor is exported, whatever records the API tier supplies",
  async (t) => {
    const fixture = await setup(t)
    const { client, boundary, walletId, address } = fixture
    const { submit, order } = asRoot(fixture)
    const { targetPublicKey } = new Reader()
    const living = [...client.records.values()]
    await submit("SIGN_RAW_PAYLOAD_V2", signParams(address))
    await submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    const attacks = {
      SIGN_WITH_UNKNOWN: order("SIGN_RAW_PAYLOAD_V2", signParams(address)),
      RESOURCE_UNKNOWN: order("EXPORT_WALLET_ACCOUNT", { address, targetPublicKey }),
      RECORD_DELETED: order("EXPORT_WALLET", { walletId, targetPublicKey }),
    }
    for (const restarts of [0, 1]) {
      if (restarts > 0) await boundary.restart()
      for (const [code, attack] of Object.entries(attacks))
        await refused(
          t,
          fixture,
          code as keyof typeof attacks,
          () => attack(...living),
          `${code}, ${restarts}`,
        )
    }
    const more = order("CREATE_WALLET_ACCOUNTS", { walletId, accounts: [ethereumAccount(9)] })
    await refused(t, fixture, "RECORD_DELETED", () => more(...living))
  },
)

t.test("A4: an export runs once; its replay returns the same bundle, for the same key", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId } = fixture
  const { targetPublicKey } = new Reader()
  const body = client.body("ACTIVITY_TYPE_EXPORT_WALLET", acme.organizationId, { walletId, targetPublicKey })
  const first = outcomeOf(await client.send(body, acme.root))
  const after = ledgerDigest(fixture)
  const again = outcomeOf(await client.offer(body, stampWith(acme.root, body)))
  t.same(valueOf(again, "exportWalletResult"), valueOf(first, "exportWalletResult"))
  t.equal(ledgerDigest(fixture), after)
  const mallory = new Reader().targetPublicKey
  const redirected = body.replace(targetPublicKey, mallory)
  const attack = () => client.offer(redirected, stampWith(acme.root, body))
  await refused(t, fixture, "STAMP_INVALID", attack, "to a key of the API tier's own")
})

const isAccount = ({ kind }: { kind: RecordKind }) => kind === RecordKind.WALLET_ACCOUNT
