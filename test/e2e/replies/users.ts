// Organizations, users, tags and features.
import { fromBinary } from "@bufbuild/protobuf"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { newKey } from "../../harness/stamper.ts"
import { subOrganization } from "../../harness/sub-organization.ts"
import type { Json } from "../../harness/system.ts"
import type { Sequence } from "./sequence.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

export const users: Sequence = {
  title: "users, tags, name and features, over HTTP:",
  run: async (t, { submit, query, refused, organizationId, rootUserId }) => {
    const oldKey = () => ({ apiKeyName: "first form", publicKey: newKey().publicKeyHex })

    t.test("replies have the documented shape", async (t) => {
      const tag = await submit("CREATE_USER_TAG", { userTagName: "staff", userIds: [] })
      const userTags = [String(tag["userTagId"])]
      const v2 = { userName: "v2", apiKeys: [oldKey()], authenticators: [], userTags }
      const { userIds } = await submit("CREATE_USERS_V2", { users: [v2] })
      const only = { userName: "only", userTags: [], apiKeys: [oldKey()] }
      await submit("CREATE_API_ONLY_USERS", { apiOnlyUsers: [only] })
      const [userId = ""] = userIds as string[]
      await submit("UPDATE_USER", { userId, userName: "vera", userTagIds: userTags })
      await submit("UPDATE_USER_NAME", { userId, userName: "Vera" })
      await submit("UPDATE_USER_EMAIL", { userId, userEmail: "vera@example.com" })
      const userPhoneNumber = "+15551234567"
      await submit("UPDATE_USER_PHONE_NUMBER", { userId, userPhoneNumber })
      const { user } = await query("get_user", { userId })
      t.match(user, { userName: "Vera", userEmail: "vera@example.com", userPhoneNumber, userTags })
      const [{ apiKeyId }] = (user as { apiKeys: [{ apiKeyId: string }] }).apiKeys
      t.match(await query("get_api_key", { apiKeyId }), { apiKey: { apiKeyName: "first form" } })
      t.match(await query("list_user_tags"), { userTags: [{ tagId: userTags[0], tagName: "staff" }] })

      const change = { userTagId: userTags[0], addUserIds: [rootUserId], removeUserIds: [] }
      await submit("UPDATE_USER_TAG", change)
      const gone = await submit("DELETE_USER_TAGS", { userTagIds: userTags })
      t.same(gone, { userTagIds: userTags, userIds: [rootUserId, userId] })
      await submit("DELETE_USERS", { userIds: [userId] })
      t.match(await query("list_users"), {
        users: [{ userName: "root", userTags: [] }, { userName: "only" }],
      })
    })

    t.test("get_organization returns name and features", async (t) => {
      const [name, value] = ["FEATURE_NAME_WEBAUTHN_ORIGINS", "https://app.example.com"]
      const set = await submit("SET_ORGANIZATION_FEATURE", { name, value })
      t.same(set, { features: [{ name, value }] })
      const quorum = { threshold: 1, userIds: [rootUserId] }
      t.same(await query("get_organization_configs"), { configs: { features: [{ name, value }], quorum } })
      const off = await submit("REMOVE_ORGANIZATION_FEATURE", { name })
      t.same(off, { features: [] })
      const renamed = { organizationName: "Acme & Söhne" }
      await submit("UPDATE_ORGANIZATION_NAME", renamed)
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
      const born = await submit("CREATE_SUB_ORGANIZATION_V7", parameters)
      const child = { organizationId: String(born["subOrganizationId"]), key }
      for (let tag = 0; tag < 11; tag++)
        await submit("CREATE_USER_TAG", { userTagName: `tag ${tag}`, userIds: [] }, child)
      const { userTags } = await query("list_user_tags", { organizationId: child.organizationId })
      t.equal((userTags as Json[]).length, 11)
      const [userId] = born["rootUserIds"] as string[]
      const found = (filterValue: string) => query("list_suborgs", { filterType: "EMAIL", filterValue })
      for (const userEmail of ["one@example.com", "two@example.com"])
        await submit("UPDATE_USER_EMAIL", { userId, userEmail }, child)
      t.same(await found("two@example.com"), { organizationIds: [child.organizationId] })
      const { suborgSummaries } = await query("get_suborg_summaries", {
        organizationIds: [child.organizationId, organizationId],
      })
      t.match(suborgSummaries, [
        {
          organizationId: child.organizationId,
          userCount: 1,
          userName: "root",
          userEmail: "two@example.com",
        },
      ])
      t.equal((suborgSummaries as Json[]).length, 1, "the parent is no sub-organization of itself")
      t.same(
        await found("one@example.com"),
        { organizationIds: [] },
        "a contact that was given up leads nowhere",
      )
      const all = { deleteWithoutExport: true }
      const ended = await submit("DELETE_SUB_ORGANIZATION", all, child)
      t.same(ended, { subOrganizationUuid: child.organizationId })
    })

    t.test("every version of create_sub_organization has the result of its type", async (t) => {
      for (const version of ["v4", "v5", "v6", "v8"] as const) {
        const parameters = subOrganization([{ name: version, key: newKey() }], { version })
        const type = `CREATE_SUB_ORGANIZATION_${version.toUpperCase()}`
        t.match(await submit(type, parameters), { rootUserIds: { length: 1 }, wallet: {} }, version)
      }
    })

    t.test("refusals carry their status, identifier and member", async (t) => {
      const named = { userId: rootUserId }
      for (const [type, parameters, refusal, field] of [
        ["DELETE_USERS", { userIds: [rootUserId] }, [400, 3], "parameters.userIds[0]"],
        ["DELETE_USER_TAGS", { userTagIds: [NIL] }, [404, 5], "parameters.userTagIds[0]"],
        ["UPDATE_USER_NAME", { ...named, userName: "only" }, [400, 3], "parameters.userName"],
        ["UPDATE_USER_EMAIL", { ...named, userEmail: "nobody" }, [400, 3], "parameters.userEmail"],
        [
          "UPDATE_USER_PHONE_NUMBER",
          { ...named, userPhoneNumber: "nobody" },
          [400, 3],
          "parameters.userPhoneNumber",
        ],
        [
          "SET_ORGANIZATION_FEATURE",
          { name: "FEATURE_NAME_WEBHOOK", value: "ftp://example.com" },
          [400, 3],
          "parameters.value",
        ],
      ] as const) {
        const { details } = await refused(type, parameters, refusal)
        t.match(JSON.stringify(details), field, `${type} names the member`)
      }
    })
  },
}
