// Published clients, unmodified, manage users, tags and features of the running system.
import t from "tap"
import { userParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { httpOf, sdkOf } from "./published.ts"

t.test("published clients manage users", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root, rootUserId } = await system.createOrganization()
  const sdk = sdkOf(system, organizationId, root)
  const http = httpOf(system, root)
  const envelope = () => ({ organizationId, timestampMs: String(Date.now()) })

  t.test("who are tagged, renamed and deleted, with their keys", async (t) => {
    const alice = newKey()
    const { userTagId } = await sdk.createUserTag({ userTagName: "agents", userIds: [rootUserId] })
    const users = [{ ...userParams("alice", alice), userTags: [userTagId] } as never]
    const { userIds } = await sdk.createUsers({ users })
    const [userId = ""] = userIds
    t.match((await sdk.listUserTags({})).userTags, [{ tagId: userTagId, tagType: "TAG_TYPE_USER" }])
    const change = { userTagId, newUserTagName: "bots", addUserIds: [], removeUserIds: [rootUserId] }
    await sdk.updateUserTag(change)
    await sdk.updateUser({ userId, userName: "alice 2", userEmail: "alice@example.com" })
    await sdk.updateUserPhoneNumber({ userId, userPhoneNumber: "+15551234567" })
    t.match((await sdk.getUser({ userId })).user, {
      userName: "alice 2",
      userEmail: "alice@example.com",
      userPhoneNumber: "+15551234567",
      userTags: [userTagId],
    })
    const deleted = await sdk.deleteUserTags({ userTagIds: [userTagId] })
    t.match(deleted, { userTagIds: [userTagId], userIds: [userId] })
    const asAlice = httpOf(system, alice)
    t.match(await asAlice.getWhoami({ organizationId }), { userId, username: "alice 2" })
    await sdk.deleteUsers({ userIds: [userId] })
    await t.rejects(asAlice.getWhoami({ organizationId }), { message: /could not find public key/ })
  })

  t.test("C-1285: lists of users are whole for them, and pages for a client that asks", async (t) => {
    const users = ["bella", "carol", "dora"].map((name) => userParams(name, newKey()) as never)
    const { userIds } = await sdk.createUsers({ users })
    const whole = await sdk.getUsers({})
    t.strictSame(Object.keys(whole), ["users"])
    t.strictSame(
      whole.users.slice(-3).map(({ userName }) => userName),
      ["bella", "carol", "dora"],
    )
    const asked = { organizationId, paginationOptions: { limit: "1", after: userIds[0] }, search: "A" }
    const page = await http.getUsers(asked)
    t.strictSame(
      page.users.map(({ userName }) => userName),
      ["carol"],
    )
    t.match(page, { pageInfo: { hasNextPage: true, hasPreviousPage: true, endCursor: userIds[1] } })
    t.match((await http.getOrganization({ organizationId })).organizationData.users, {
      length: whole.users.length,
    })
    await sdk.deleteUsers({ userIds })
  })

  t.test("and set features, through either client", async (t) => {
    const [name, value] = ["FEATURE_NAME_WEBAUTHN_ORIGINS", "https://app.example.com"] as const
    const { features } = await sdk.setOrganizationFeature({ name, value })
    t.same(features, [{ name, value }])
    const { activity } = await http.setOrganizationFeature({
      type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
      ...envelope(),
      parameters: { name, value: "https://other.example.com" },
    })
    t.match(activity.result.setOrganizationFeatureResult, {
      features: [{ name, value: "https://other.example.com" }],
    })
    const unread = sdk.setOrganizationFeature({
      name: "FEATURE_NAME_SWAP_CONFIG",
      value: "{}",
    })
    await t.rejects(unread, { code: 12, message: /FEATURE_NAME_SWAP_CONFIG is not served/ })
    t.match(await sdk.getOrganizationConfigs({ organizationId }), { configs: { features: { length: 1 } } })
    const left = await sdk.removeOrganizationFeature({ name })
    t.same(left.features, [])
  })

  t.test("and get refusals they can read", async (t) => {
    const last = sdk.deleteUsers({ userIds: [rootUserId] })
    await t.rejects(last, { code: 3, message: /quorum users missing/ })
    const invited = http.createInvitations({
      type: "ACTIVITY_TYPE_CREATE_INVITATIONS",
      ...envelope(),
      parameters: { invitations: [] },
    })
    await t.rejects(invited, { code: 3, message: /parameters.invitations/ })
  })
})
