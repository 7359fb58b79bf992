// Users by pages, and the signed document, of an organization with 10,000 users.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { TagType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { CREATED_MS, nextId, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { type Json, startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const USERS = 10_000

const key = makeKey()
const api = await startApi(t)
const created = { createdAtMs: BigInt(CREATED_MS), updatedAtMs: BigInt(CREATED_MS) }
const tag = { tagId: nextId(), name: "night shift", type: TagType.USER, ...created }
const root = user("root", key)
const others = Array.from({ length: USERS - 1 }, (_, index) => ({
  userId: nextId(),
  name: `person ${index + 1}`,
  email: `Person${index + 1}@example.com`,
  phoneNumber: "",
  tagIds: index % 1000 === 0 ? [tag.tagId] : [],
  ...created,
}))
await storeOrganization(api.sql, {
  users: [root, ...others],
  rootQuorum: { threshold: 1, userIds: [root.userId] },
  tags: [tag],
})

const query = (path: string, body: object) =>
  api.post(`query/${path}`, { organizationId: ORGANIZATION_ID, ...body }, key)

async function list(body: object): Promise<{ names: string[]; ids: string[]; pageInfo: Json | undefined }> {
  const { status, json } = await query("list_users", body)
  t.equal(status, 200)
  const users = json["users"] as { userId: string; userName: string }[]
  const names = users.map(({ userName }) => userName)
  return { names, ids: users.map(({ userId }) => userId), pageInfo: json["pageInfo"] as Json | undefined }
}

const paged = (paginationOptions: object, filter: object = {}) => list({ paginationOptions, ...filter })

t.test("without pages all users come, and nothing says where a page is", async (t) => {
  const { names, pageInfo } = await list({})
  t.equal(names.length, USERS)
  t.equal(pageInfo, undefined)
})

t.test("pages follow each other, and a page before a cursor ends at it", async (t) => {
  const first = await paged({ limit: "3" })
  t.strictSame(first.names, ["root", "person 1", "person 2"])
  t.strictSame(first.pageInfo, {
    hasNextPage: true,
    hasPreviousPage: false,
    startCursor: first.ids[0],
    endCursor: first.ids[2],
  })
  const second = await paged({ limit: "2", after: first.ids[2] })
  t.strictSame(second.names, ["person 3", "person 4"])
  t.match(second.pageInfo, { hasNextPage: true, hasPreviousPage: true })
  const before = await paged({ limit: "2", before: second.ids[0]?.toUpperCase() })
  t.strictSame(before.names, ["person 1", "person 2"])
  const last = await paged({ limit: "100", after: others.at(-3)?.userId })
  t.strictSame(last.names, ["person 9998", "person 9999"])
  t.match(last.pageInfo, { hasNextPage: false, hasPreviousPage: true })
})

t.test("pages of ten are ten without a limit, and a cursor that is unknown is refused", async (t) => {
  t.equal((await paged({})).names.length, 10)
  for (const side of ["before", "after"]) {
    const { status, json } = await query("list_users", { paginationOptions: { [side]: nextId() } })
    t.equal(status, 400)
    t.match(json["message"], new RegExp(`paginationOptions.${side} is not the id of an object in this list`))
  }
})

t.test("a search finds a part of the name, the address or the id, in any case", async (t) => {
  t.strictSame((await paged({}, { search: "PERSON 9999" })).names, ["person 9999"])
  t.strictSame((await paged({}, { search: "person777@EXAMPLE" })).names, ["person 777"])
  t.strictSame((await list({ search: ` ${root.userId.toUpperCase()} ` })).names, ["root"])
  t.strictSame((await list({ search: "nobody at all" })).names, [])
  const found = await paged({ limit: "2" }, { search: "person 999" })
  t.strictSame(found.names, ["person 999", "person 9990"])
  t.match(found.pageInfo, { hasNextPage: true, hasPreviousPage: false })
  const rest = await paged({ limit: "100", after: found.ids[1] }, { search: "person 999" })
  t.equal(rest.names.length, 9)
  t.match(rest.pageInfo, { hasNextPage: false, hasPreviousPage: true })
})

t.test("users are found by their tag and by their ids", async (t) => {
  t.equal((await list({ userTagId: tag.tagId })).names.length, 10)
  const ids = [others[41]?.userId, root.userId.toUpperCase(), nextId()]
  t.strictSame((await list({ userIds: ids })).names, ["root", "person 42"])
  const { status } = await query("list_users", { userIds: Array.from({ length: 101 }, nextId) })
  t.equal(status, 400)
})

t.test("get_organization leaves the users out on request alone", async (t) => {
  const usersOf = async (body: object) => {
    const { json } = await query("get_organization", body)
    return (json["organizationData"] as { users: unknown[] }).users.length
  }
  t.equal(await usersOf({}), USERS)
  t.equal(await usersOf({ omitUsers: false }), USERS)
  t.equal(await usersOf({ omitUsers: true }), 0)
})

t.test("the signed document comes byte for byte as it is stored", async (t) => {
  const { status, json } = await query("get_organization_document", {})
  t.equal(status, 200)
  const bytes = Buffer.from(String(json["notarizedDocumentB64"]), "base64")
  const [row] = await api.sql<{ bytes: Uint8Array }[]>`
    select document as bytes from organizations where id = ${ORGANIZATION_ID}`
  t.ok(bytes.equals(row?.bytes ?? new Uint8Array()))
  const document = fromBinary(OrganizationDocumentSchema, fromBinary(NotarizedDocumentSchema, bytes).document)
  t.equal(document.users.length, USERS)
  t.equal(json["version"], String(document.version))
})
