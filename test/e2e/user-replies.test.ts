// Operations on organizations, users, tags and features, asked for over HTTP, against the tables that were written by hand.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { requireError, requireQueryReply, requireResult } from "../contract/replies.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import type { Json } from "../harness/system.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

t.test("users, tags, name and features, over HTTP:", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root, rootUserId } = await system.createOrganization()
  const send = (path: string, type: string, parameters: object, by = { organizationId, root }) =>
    system.post(`submit/${path}`, system.body(type, by.organizationId, parameters), by.root)
  const submit = async (
    path: string,
    type: string,
    parameters: object,
    by = { organizationId, root },
  ): Promise<Json> => {
    const { json } = await send(path, type, parameters, by)
    return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
  }
  const query = async (path: string, parameters: object = {}): Promise<Json> => {
    const { status, json } = await system.query(path, { organizationId, ...parameters }, root)
    t.equal(status, 200, `${path} answers`)
    return requireQueryReply(path, json)
  }
  const oldKey = () => ({ apiKeyName: "first form", publicKey: newKey().publicKeyHex })

  t.test("replies have the documented shape", async (t) => {
    const tag = await submit("create_user_tag", "CREATE_USER_TAG", { userTagName: "staff", userIds: [] })
    const userTags = [String(tag["userTagId"])]
    const v2 = { userName: "v2", apiKeys: [oldKey()], authenticators: [], userTags }
    const { userIds } = await submit("create_users", "CREATE_USERS_V2", { users: [v2] })
    const only = { userName: "only", userTags: [], apiKeys: [oldKey()] }
    await submit("create_api_only_users", "CREATE_API_ONLY_USERS", { apiOnlyUsers: [only] })
    const [userId = ""] = userIds as string[]
    await submit("update_user", "UPDATE_USER", { userId, userName: "vera", userTagIds: userTags })
    await submit("update_user_name", "UPDATE_USER_NAME", { userId, userName: "Vera" })
    await submit("update_user_email", "UPDATE_USER_EMAIL", { userId, userEmail: "vera@example.com" })
    const userPhoneNumber = "+15551234567"
    await submit("update_user_phone_number", "UPDATE_USER_PHONE_NUMBER", { userId, userPhoneNumber })
    const { user } = await query("get_user", { userId })
    t.match(user, { userName: "Vera", userEmail: "vera@example.com", userPhoneNumber, userTags })
    const [{ apiKeyId }] = (user as { apiKeys: [{ apiKeyId: string }] }).apiKeys
    t.match(await query("get_api_key", { apiKeyId }), { apiKey: { apiKeyName: "first form" } })
    t.match(await query("list_user_tags"), { userTags: [{ tagId: userTags[0], tagName: "staff" }] })

    const change = { userTagId: userTags[0], addUserIds: [rootUserId], removeUserIds: [] }
    await submit("update_user_tag", "UPDATE_USER_TAG", change)
    const gone = await submit("delete_user_tags", "DELETE_USER_TAGS", { userTagIds: userTags })
    t.same(gone, { userTagIds: userTags, userIds: [rootUserId, userId] })
    await submit("delete_users", "DELETE_USERS", { userIds: [userId] })
    t.match(await query("list_users"), { users: [{ userName: "root", userTags: [] }, { userName: "only" }] })
  })

  t.test("get_organization returns name and features", async (t) => {
    const [name, value] = ["FEATURE_NAME_WEBAUTHN_ORIGINS", "https://app.example.com"]
    const set = await submit("set_organization_feature", "SET_ORGANIZATION_FEATURE", { name, value })
    t.same(set, { features: [{ name, value }] })
    const quorum = { threshold: 1, userIds: [rootUserId] }
    t.same(await query("get_organization_configs"), { configs: { features: [{ name, value }], quorum } })
    const off = await submit("remove_organization_feature", "REMOVE_ORGANIZATION_FEATURE", { name })
    t.same(off, { features: [] })
    const renamed = { organizationName: "Acme & Söhne" }
    await submit("update_organization_name", "UPDATE_ORGANIZATION_NAME", renamed)
    t.match(await query("whoami"), renamed)
    t.match(await query("get_organization"), { organizationData: { name: "Acme & Söhne", features: [] } })
    const signed = await query("get_organization_document")
    const { document } = fromBinary(
      NotarizedDocumentSchema,
      Buffer.from(String(signed["notarizedDocumentB64"]), "base64"),
    )
    const { name: shown, version } = fromBinary(OrganizationDocumentSchema, document)
    t.strictSame([shown, String(version)], ["Acme & Söhne", signed["version"]])
  })

  t.test("a sub-organization is created, has more than ten tags, and is deleted", async (t) => {
    const key = newKey()
    const parameters = subOrganization([{ name: "root", key }])
    const born = await submit("create_sub_organization", "CREATE_SUB_ORGANIZATION_V7", parameters)
    const child = { organizationId: String(born["subOrganizationId"]), root: key }
    for (let tag = 0; tag < 11; tag++)
      await submit("create_user_tag", "CREATE_USER_TAG", { userTagName: `tag ${tag}`, userIds: [] }, child)
    const shown = await system.query("list_user_tags", { organizationId: child.organizationId }, root)
    t.equal((requireQueryReply("list_user_tags", shown.json)["userTags"] as Json[]).length, 11)
    const [userId] = born["rootUserIds"] as string[]
    const found = (filterValue: string) => query("list_suborgs", { filterType: "EMAIL", filterValue })
    for (const userEmail of ["one@example.com", "two@example.com"])
      await submit("update_user_email", "UPDATE_USER_EMAIL", { userId, userEmail }, child)
    t.same(await found("two@example.com"), { organizationIds: [child.organizationId] })
    const { suborgSummaries } = await query("get_suborg_summaries", {
      organizationIds: [child.organizationId, organizationId],
    })
    t.match(suborgSummaries, [
      { organizationId: child.organizationId, userCount: 1, userName: "root", userEmail: "two@example.com" },
    ])
    t.equal((suborgSummaries as Json[]).length, 1, "the parent is no sub-organization of itself")
    t.same(
      await found("one@example.com"),
      { organizationIds: [] },
      "a contact that was given up leads nowhere",
    )
    const all = { deleteWithoutExport: true }
    const ended = await submit("delete_sub_organization", "DELETE_SUB_ORGANIZATION", all, child)
    t.same(ended, { subOrganizationUuid: child.organizationId })
  })

  t.test("refusals carry their status, identifier and member", async (t) => {
    for (const [path, type, parameters, status, code, field] of [
      ["delete_users", "DELETE_USERS", { userIds: [rootUserId] }, 400, 3, "parameters.userIds[0]"],
      ["delete_user_tags", "DELETE_USER_TAGS", { userTagIds: [NIL] }, 404, 5, "parameters.userTagIds[0]"],
      [
        "update_user_name",
        "UPDATE_USER_NAME",
        { userId: rootUserId, userName: "only" },
        400,
        3,
        "parameters.userName",
      ],
      [
        "update_user_email",
        "UPDATE_USER_EMAIL",
        { userId: rootUserId, userEmail: "nobody" },
        400,
        3,
        "parameters.userEmail",
      ],
      [
        "update_user_phone_number",
        "UPDATE_USER_PHONE_NUMBER",
        { userId: rootUserId, userPhoneNumber: "nobody" },
        400,
        3,
        "parameters.userPhoneNumber",
      ],
      [
        "set_organization_feature",
        "SET_ORGANIZATION_FEATURE",
        { name: "FEATURE_NAME_WEBHOOK", value: "ftp://example.com" },
        400,
        3,
        "parameters.value",
      ],
    ] as const) {
      const reply = await send(path, type, parameters)
      t.equal(reply.status, status, path)
      const error = requireError(reply.json, code)
      t.match(JSON.stringify(error["details"]), field, `${path} names the member`)
    }
  })
})
