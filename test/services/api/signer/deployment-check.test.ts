// A database belongs to one deployment: over another's the API is not ready and serves nothing.
import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { NotarizedDocumentSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { startApi } from "../start-api.ts"
import { StubSigner } from "../stub-signer.ts"

t.test(
  "the API is not ready over another deployment's database, names both, and serves nothing",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const [own, other] = [new StubSigner(), new StubSigner()]
    const first = await startApi(t, { sql, signer: own })
    await first.service.recover()
    t.match(await first.send("/readyz"), { status: 200, json: { ready: true, database: "ok" } })

    const second = await startApi(t, { sql, signer: other })
    other.recoveries.push({ outcomes: [{}], more: false })
    await t.rejects(second.service.recover(), { message: /belongs to deployment/ })
    t.same(other.recoveredAfter, [], "no outcome is asked for, so none is stored in it")
    const { status, json } = await second.send("/readyz")
    t.match(
      { status, json },
      { status: 503, json: { ready: false, signer: "ok", database: /^DATABASE_FOREIGN/ } },
    )
    for (const { deploymentId } of [own, other]) t.match(json["database"], deploymentId)
    for (const path of ["submit/sign_raw_payload", "query/whoami"]) {
      const refused = await second.send(`/public/v1/${path}`, { method: "POST", body: "{}" })
      t.match(refused, { status: 503, text: /DATABASE_FOREIGN/ }, path)
      const asked = await first.send(`/public/v1/${path}`, { method: "POST", body: "{}" })
      t.notMatch(asked.text, /DATABASE_FOREIGN/, "served over its own")
    }
  },
)

t.test(
  "a signer that is replaced by another deployment's ends readiness, and its return restores it",
  async (t) => {
    const own = new StubSigner()
    const { service, send } = await startApi(t, { signer: own })
    await service.recover()
    const { getPins, probe } = own
    const foreign = new StubSigner()
    Object.assign(own, {
      getPins: () => foreign.getPins(),
      probe: (nonce: Uint8Array) => foreign.probe(nonce),
    })
    t.match(await send("/readyz"), { status: 503, json: { database: /^DATABASE_FOREIGN/ } })
    Object.assign(own, { getPins, probe })
    t.match(await send("/readyz"), { status: 200 })
    t.notMatch(
      (await send("/public/v1/query/whoami", { method: "POST", body: "{}" })).text,
      /DATABASE_FOREIGN/,
    )
  },
)

t.test("a database of an earlier release becomes the signer's only if its documents are", async (t) => {
  const signer = new StubSigner()
  const stranger = new StubSigner()
  for (const [author, status] of [
    [signer, 200],
    [stranger, 503],
  ] as const) {
    const { sql } = await freshDatabase(t)
    const document = Buffer.from("a document")
    const signature = author.sign("countersign/v1/organization-document", document)
    const notarized = toBinary(
      NotarizedDocumentSchema,
      create(NotarizedDocumentSchema, { document, signature }),
    )
    await sql`
      insert into organizations (id, name, version, deleted, document, created_ms)
      values (gen_random_uuid(), 'Acme', 1, false, ${notarized}, 0)`
    const { send, service } = await startApi(t, { sql, signer })
    await service.recover().catch(() => undefined)
    t.match(await send("/readyz"), { status })
    t.equal((await sql`select id from deployment`).length, status === 200 ? 1 : 0)
  }
})
