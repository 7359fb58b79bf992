import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { RecordKind, RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { ethereumAccount, outcomeOf, signParams, valueOf } from "../harness/api-seat.ts"
import { Importer, Reader, sealText } from "../harness/bundles.ts"
import { stampWith } from "../harness/stamper.ts"
import { readArchive } from "../../signer/enclave/rpc/read-archive.ts"
import { allRefused, asRoot, flips, memoryOf, refused, stage } from "./stage.ts"

const WORDS = `${"abandon ".repeat(11)}about`

t.test("B4: a bundle with any byte altered opens nothing and gets the same refusal", async (t) => {
  const scene = await stage(t)
  const { attempt } = asRoot(scene)
  const good = await new Importer(scene).wallet("Mine", WORDS)
  const bundle = JSON.parse(good.encryptedBundle) as { [part: string]: string }
  const sentences = new Set<string>()
  const importing = async (encryptedBundle: string) => {
    const answer = await attempt("IMPORT_WALLET", { ...good, encryptedBundle })
    if (answer.is === "refused") sentences.add(answer.sentence)
    return answer
  }
  const altered = Object.entries(bundle).flatMap(([part, digits]) =>
    flips(Buffer.from(digits, "hex"), [0x01]).map((bytes) =>
      JSON.stringify({ ...bundle, [part]: Buffer.from(bytes).toString("hex") }),
    ),
  )
  t.equal(altered.length, 65 + WORDS.length + 16, "point, words, tag")
  await allRefused(t, scene, "BUNDLE_BROKEN", altered, importing)
  t.equal(sentences.size, 1)
  t.match(await importing(good.encryptedBundle), { is: "outcome" })
})

t.test("B4: a bundle sealed for another user is refused, as is one sent by another user", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const { organizationId, root, rootUserId } = acme
  const alice = await seat.user(acme, "alice")
  const quorum = { threshold: 1, userIds: [rootUserId, alice.userId] }
  await seat.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
  const theirs = await new Importer(scene, alice).wallet("Alice's", WORDS)
  const ours = await new Importer(scene).wallet("Mine", WORDS)
  const importing = (parameters: object) => () => asRoot(scene).attempt("IMPORT_WALLET", parameters)
  await refused(t, scene, "PERMISSION_DENIED", importing(theirs), "in her name")
  await refused(t, scene, "BUNDLE_BROKEN", importing({ ...theirs, userId: rootUserId }), "in his own")
  for (const type of ["INIT_IMPORT_WALLET", "INIT_IMPORT_PRIVATE_KEY"]) {
    const asking = () => asRoot(scene).attempt(type, { userId: alice.userId })
    await refused(t, scene, "PERMISSION_DENIED", asking, `${type} in her name`)
  }
  const body = seat.body("ACTIVITY_TYPE_IMPORT_WALLET", organizationId, theirs)
  t.match(await seat.send(body, alice.key), { is: "outcome" }, "her own is good")
  t.match(await importing(ours)(), { is: "outcome" }, "his own is good")
})

t.test("B4: a bundle sealed for another organization is refused", async (t) => {
  const scene = await stage(t)
  const other = await scene.seat.tenant("Other")
  const theirs = await new Importer({ ...scene, acme: other }).wallet("Theirs", WORDS)
  const ours = await new Importer(scene).wallet("Ours", WORDS)
  const { encryptedBundle } = theirs
  const importing = (parameters: object) => asRoot(scene).attempt("IMPORT_WALLET", parameters)
  await refused(t, scene, "BUNDLE_BROKEN", () => importing({ ...ours, encryptedBundle }))
  await refused(t, scene, "PERMISSION_DENIED", () => importing(theirs), "nor in the name of its user")
  t.match(await importing(ours), { is: "outcome" })
  t.match(await asRoot({ ...scene, acme: other }).attempt("IMPORT_WALLET", theirs), { is: "outcome" })
})

t.test(
  "B4: a used import key opens no second bundle, whatever the API tier supplies, also after a restart",
  async (t) => {
    const scene = await stage(t)
    const { seat, acme, boundary } = scene
    const { organizationId, root } = acme
    const importer = new Importer(scene)
    const document = seat.documents.get(organizationId)!
    const parameters = await importer.wallet("Mine", WORDS)
    const before = [...seat.records.values()]
    const first = outcomeOf(await asRoot(scene).attempt("IMPORT_WALLET", parameters))
    const { walletId } = valueOf(first, "importWalletResult")
    await asRoot(scene).submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    const body = seat.body("ACTIVITY_TYPE_IMPORT_WALLET", organizationId, parameters)
    const records = [...before, ...first.records, ...seat.records.values()]
    const again = () => seat.order(body, stampWith(root, body), { document, records })
    for (const restarts of [0, 1]) {
      if (restarts > 0) await boundary.restart()
      await refused(t, scene, "IMPORT_TARGET_SPENT", again, `${restarts} restarts`)
    }
    const { records: archived } = await readArchive(
      { organizationId, afterRecordId: "" } as never,
      boundary.signer,
    )
    const kinds = [...archived, ...seat.records.values()].map((bytes) => fromBinary(RecordSchema, bytes).kind)
    t.same(
      new Set(kinds),
      new Set([RecordKind.WALLET, RecordKind.WALLET_ACCOUNT]),
      "wallets and accounts: the key was never handed out, sealed or not",
    )
  },
)

t.test("B4: of two imports with one key at once only one runs", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const importer = new Importer(scene)
  const importBundle = await importer.walletTarget()
  const bodies = await Promise.all(
    ["one", "two", "three"].map(async (walletName) => {
      const encryptedBundle = await sealText(WORDS, importBundle, importer.whose)
      const parameters = { userId: importer.whose.userId, walletName, encryptedBundle, accounts: [] }
      return seat.body("ACTIVITY_TYPE_IMPORT_WALLET", acme.organizationId, parameters)
    }),
  )
  const answers = await Promise.all(bodies.map((body) => seat.send(body, acme.root)))
  const ran = answers.filter(({ is }) => is === "outcome")
  t.equal(ran.length, 1)
  for (const answer of answers) if (answer.is === "refused") t.equal(answer.code, "IMPORT_TARGET_SPENT")
})

t.test("A2: an export takes the wallet's own current record, and no other", async (t) => {
  const scene = await stage(t)
  const { seat, acme, walletId, address } = scene
  const other = await seat.tenant("Other")
  const theirs = await seat.wallet(other, "Theirs")
  const second = await seat.wallet(acme, "Second")
  const { targetPublicKey } = new Reader()
  const orders = {
    words: asRoot(scene).order("EXPORT_WALLET", { walletId, targetPublicKey }),
    account: asRoot(scene).order("EXPORT_WALLET_ACCOUNT", { address, targetPublicKey }),
  }
  const stored = (id: string) => seat.records.get(id)!
  const read = (id: string) => fromBinary(RecordSchema, stored(id))
  const account = [...seat.records.values()].find((bytes) => isAccount(fromBinary(RecordSchema, bytes)))!
  const made = [
    toBinary(RecordSchema, { ...read(second.walletId), id: walletId }),
    toBinary(RecordSchema, { ...read(walletId), sealed: read(second.walletId).sealed }),
    toBinary(RecordSchema, { ...read(walletId), sealed: read(theirs.walletId).sealed }),
  ]
  await allRefused(t, scene, "RECORD_FORGED", made, (record) => orders.words(record))
  await allRefused(t, scene, "RECORD_FORGED", made, (record) => orders.account(record, account))
  await refused(t, scene, "CONTEXT_MISSING", () => orders.words(stored(second.walletId)), "another wallet's")
  const foreign = () => orders.words(stored(theirs.walletId))
  await refused(t, scene, "RECORD_OF_ANOTHER_ORGANIZATION", foreign)

  const old = stored(walletId)
  const exported = asRoot(scene)
  await exported.submit("EXPORT_WALLET", { walletId, targetPublicKey })
  for (const restarts of [0, 1]) {
    if (restarts > 0) await scene.boundary.restart()
    await refused(
      t,
      scene,
      "RECORD_ROLLED_BACK",
      () => orders.words(old),
      "the one that was not exported yet",
    )
    await refused(t, scene, "RECORD_ROLLED_BACK", () => orders.account(old, account))
  }
  t.match(await orders.words(stored(walletId)), { is: "outcome" })
})

t.test(
  "A2: a deleted wallet neither signs nor is exported, whatever records the API tier supplies",
  async (t) => {
    const scene = await stage(t)
    const { seat, boundary, walletId, address } = scene
    const { submit, order } = asRoot(scene)
    const { targetPublicKey } = new Reader()
    const living = [...seat.records.values()]
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
        await refused(t, scene, code as keyof typeof attacks, () => attack(...living), `${code}, ${restarts}`)
    }
    const more = order("CREATE_WALLET_ACCOUNTS", { walletId, accounts: [ethereumAccount(9)] })
    await refused(t, scene, "RECORD_DELETED", () => more(...living))
  },
)

t.test("A4: an export runs once; its replay returns the same bundle, for the same key", async (t) => {
  const scene = await stage(t)
  const { seat, acme, walletId } = scene
  const { targetPublicKey } = new Reader()
  const body = seat.body("ACTIVITY_TYPE_EXPORT_WALLET", acme.organizationId, { walletId, targetPublicKey })
  const first = outcomeOf(await seat.send(body, acme.root))
  const after = memoryOf(scene)
  const again = outcomeOf(await seat.offer(body, stampWith(acme.root, body)))
  t.same(valueOf(again, "exportWalletResult"), valueOf(first, "exportWalletResult"))
  t.equal(memoryOf(scene), after)
  const mallory = new Reader().targetPublicKey
  const redirected = body.replace(targetPublicKey, mallory)
  const attack = () => seat.offer(redirected, stampWith(acme.root, body))
  await refused(t, scene, "STAMP_INVALID", attack, "to a key of the API tier's own")
})

const isAccount = ({ kind }: { kind: RecordKind }) => kind === RecordKind.WALLET_ACCOUNT
