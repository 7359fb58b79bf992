// Effects of each operation on users on the document, and each refusal: its code, and nothing stored.
import t from "tap"
import { apiKey, userParams, valueOf } from "../harness/api-client.ts"
import { documentOf, userOf } from "../harness/document.ts"
import { newKey } from "../harness/stamper.ts"
import { NIL, TYPE } from "./boundary/names.ts"
import { refusedAt, settled } from "./refused.ts"

t.test("create_users", async (t) => {
  const { client, organizationId, root, submit } = await settled(t)

  t.test("gives new users their tags, in all versions", async (t) => {
    const { userTagId: one } = valueOf(
      await submit("CREATE_USER_TAG", { userTagName: "one", userIds: [] }),
      "createUserTagResult",
    )
    const { userTagId: two } = valueOf(
      await submit("CREATE_USER_TAG", { userTagName: "two", userIds: [] }),
      "createUserTagResult",
    )
    const keys = [newKey(), newKey(), newKey()]
    const oldKey = (at: number) => ({ apiKeyName: "old", publicKey: keys[at]!.publicKeyHex })
    const [v2, v3, v4, only] = [
      { userName: "v2", apiKeys: [oldKey(0)], authenticators: [], userTags: [one] },
      { ...userParams("v3", keys[1]!), userTags: [one, two] },
      { ...userParams("v4"), userTags: [two, two] },
      { userName: "only", userEmail: "only@example.com", userTags: [two], apiKeys: [oldKey(2)] },
    ]
    const ids = [
      ...valueOf(await submit("CREATE_USERS_V2", { users: [v2] }), "createUsersResult").userIds,
      ...valueOf(await submit("CREATE_USERS_V3", { users: [v3] }), "createUsersResult").userIds,
      ...valueOf(await submit("CREATE_USERS_V4", { users: [v4] }), "createUsersResult").userIds,
      ...valueOf(await submit("CREATE_API_ONLY_USERS", { apiOnlyUsers: [only] }), "createApiOnlyUsersResult")
        .userIds,
    ]
    const users = ids.map((userId) => userOf(client, organizationId, userId))
    t.match(users, [
      { name: "v2", tagIds: [one], apiKeys: [{ name: "old", publicKey: keys[0]!.publicKeyHex }] },
      { name: "v3", tagIds: [one, two] },
      { name: "v4", tagIds: [two] },
      { name: "only", email: "only@example.com", tagIds: [two], emailVerified: false },
    ])
    const outcome = await client.submit(keys[2]!, TYPE("CREATE_API_KEYS_V2"), organizationId, {
      userId: ids[3],
      apiKeys: [apiKey(newKey(), "own key")],
    })
    t.ok(valueOf(outcome, "createApiKeysResult").apiKeyIds[0], "the user stamps")
  })

  t.test("refuses unknown tags and tags of other kinds, and creates no user of the list", async (t) => {
    const good = userParams("good", newKey())
    const users = [good, { ...userParams("bad", newKey()), userTags: [NIL] }]
    const at = "parameters.users[1].userTags[0]"
    await refusedAt(t, client, root, ["CREATE_USERS_V4", organizationId, { users }], "RESOURCE_UNKNOWN", at)
  })

  t.test("refuses invalid contacts", async (t) => {
    const refuses = (change: object, field: string) =>
      refusedAt(
        t,
        client,
        root,
        ["CREATE_USERS_V4", organizationId, { users: [{ ...userParams("odd", newKey()), ...change }] }],
        "REQUEST_INVALID",
        `parameters.users[0].${field}`,
      )
    for (const userEmail of ["", "nobody", "a@b@c.example", "a b@c.example"])
      await refuses({ userEmail }, "userEmail")
    for (const userPhoneNumber of ["", "5551234567", "+0123456789", "+1 555 123 4567"])
      await refuses({ userPhoneNumber }, "userPhoneNumber")
  })

  t.test("creates as many users as the operator allows", async (t) => {
    const { client, organizationId, root, submit } = await settled(t, { COUNTERSIGN_SIGNER_MAX_USERS: "100" })
    const many = (count: number, name: string) =>
      Array.from({ length: count }, (_, index) => userParams(`${name} ${index}`))
    await submit("CREATE_USERS_V4", { users: many(98, "user") })
    t.equal(documentOf(client, organizationId).users.length, 100)
    const order = ["CREATE_USERS_V4", organizationId, { users: many(1, "one too many") }] as const
    await refusedAt(t, client, root, order, "LIMIT_EXCEEDED", "parameters.users[0]")
    const list = ["CREATE_USERS_V4", organizationId, { users: many(101, "more") }] as const
    await refusedAt(t, client, root, list, "REQUEST_INVALID", "parameters.users")
  })
})

t.test("update_user and its three narrower forms", async (t) => {
  const { client, organizationId, root, submit, alice } = await settled(t)
  const { userId } = alice
  const current = () => userOf(client, organizationId, userId)!
  const { userTagId } = valueOf(
    await submit("CREATE_USER_TAG", { userTagName: "one", userIds: [] }),
    "createUserTagResult",
  )

  t.test("change the given members and leave absent ones", async (t) => {
    const userEmail = "alice@example.com"
    const userPhoneNumber = "+15551234567"
    const result = await submit("UPDATE_USER", {
      userId,
      userEmail,
      userPhoneNumber,
      userTagIds: [userTagId],
    })
    t.same(valueOf(result, "updateUserResult").userId, userId)
    const all = { name: "alice", email: userEmail, phoneNumber: userPhoneNumber, tagIds: [userTagId] }
    t.match(current(), all)
    await submit("UPDATE_USER", { userId, userName: "alice the second" })
    t.match(current(), { ...all, name: "alice the second" })
    await submit("UPDATE_USER", { userId, userTagIds: [] })
    t.match(current(), { tagIds: [userTagId] }, "an empty list is as good as none")
    await submit("UPDATE_USER_NAME", { userId, userName: "alice" })
    t.match(current(), all)
    await submit("UPDATE_USER_EMAIL", { userId, userEmail: "al@example.com" })
    await submit("UPDATE_USER_PHONE_NUMBER", { userId, userPhoneNumber: "+491701234567" })
    t.match(current(), { ...all, email: "al@example.com", phoneNumber: "+491701234567" })
    t.match(current(), { emailVerified: false, phoneNumberVerified: false })
    t.ok(current().updatedAtMs > current().createdAtMs)
  })

  t.test("remove a contact with the empty string", async (t) => {
    await submit("UPDATE_USER", { userId, userEmail: "a@example.com", userPhoneNumber: "+15551234567" })
    await submit("UPDATE_USER_EMAIL", { userId, userEmail: "" })
    t.match(current(), { email: "", phoneNumber: "+15551234567" })
    await submit("UPDATE_USER_PHONE_NUMBER", { userId, userPhoneNumber: "" })
    t.match(current(), { email: "", phoneNumber: "" })
    await submit("UPDATE_USER", { userId, userEmail: "a@example.com", userPhoneNumber: "+15551234567" })
    await submit("UPDATE_USER", { userId, userEmail: "", userPhoneNumber: "" })
    t.match(current(), { email: "", phoneNumber: "" })
  })

  t.test("refuse unknown users, taken names, invalid contacts and unknown tags", async (t) => {
    const refuses = async (
      type: string,
      parameters: object,
      code: Parameters<typeof refusedAt>[4],
      field: string,
    ) =>
      refusedAt(
        t,
        client,
        root,
        [type, organizationId, { userId, ...parameters }],
        code,
        `parameters.${field}`,
      )
    for (const [type, parameters] of [
      ["UPDATE_USER", {}],
      ["UPDATE_USER_NAME", { userName: "x" }],
      ["UPDATE_USER_EMAIL", { userEmail: "" }],
      ["UPDATE_USER_PHONE_NUMBER", { userPhoneNumber: "" }],
    ] as const)
      await refuses(type, { ...parameters, userId: NIL }, "RESOURCE_UNKNOWN", "userId")
    for (const type of ["UPDATE_USER", "UPDATE_USER_NAME"]) {
      await refuses(type, { userName: "root" }, "NAME_TAKEN", "userName")
      await refuses(type, { userName: "" }, "REQUEST_INVALID", "userName")
      await refuses(type, { userName: "n".repeat(257) }, "REQUEST_INVALID", "userName")
    }
    for (const type of ["UPDATE_USER", "UPDATE_USER_EMAIL"]) {
      for (const userEmail of [" ", "nobody", "a@b..example", `${"a".repeat(250)}@b.example`])
        await refuses(type, { userEmail }, "REQUEST_INVALID", "userEmail")
    }
    for (const type of ["UPDATE_USER", "UPDATE_USER_PHONE_NUMBER"]) {
      for (const userPhoneNumber of [" ", "15551234567", "+0555123456", "+1234567890123456"])
        await refuses(type, { userPhoneNumber }, "REQUEST_INVALID", "userPhoneNumber")
    }
    await refuses("UPDATE_USER", { userTagIds: [userTagId, NIL] }, "RESOURCE_UNKNOWN", "userTagIds[1]")
    await refuses("UPDATE_USER", { userTagIds: ["one"] }, "REQUEST_INVALID", "userTagIds[0]")
  })

  t.test("accept a user's current name", async (t) => {
    await submit("UPDATE_USER_NAME", { userId, userName: current().name })
    t.equal(current().name, "alice")
  })

  t.test("refuse verification tokens while no fetcher is paired", async (t) => {
    for (const verificationToken of ["", "e30.e30.e30"]) {
      for (const [type, contact] of [
        ["UPDATE_USER_EMAIL", { userEmail: "a@example.com" }],
        ["UPDATE_USER_PHONE_NUMBER", { userPhoneNumber: "+15551234567" }],
      ] as const) {
        const order = [type, organizationId, { userId, ...contact, verificationToken }] as const
        const code = "FETCHER_NOT_PAIRED"
        await refusedAt(t, client, root, order, code, "")
      }
    }
  })

  t.test("are refused to a user without policies, for their own name and contacts too", async (t) => {
    for (const [type, parameters] of [
      ["UPDATE_USER", { userName: "queen" }],
      ["UPDATE_USER_NAME", { userName: "queen" }],
      ["UPDATE_USER_EMAIL", { userEmail: "queen@example.com" }],
      ["UPDATE_USER_PHONE_NUMBER", { userPhoneNumber: "+15551234567" }],
    ] as const) {
      const order = [type, organizationId, { userId, ...parameters }] as const
      await refusedAt(t, client, alice.key, order, "PERMISSION_DENIED")
    }
  })
})

t.test("a changed contact is unverified; the same contact again stays verified", async (t) => {
  const { renameUser, setEmail, setPhoneNumber } = await import("../../signer/enclave/organization/users.ts")
  const { draftOf } = await import("../signer/enclave/organization/drafts.ts")
  const proven = {
    userId: "ann",
    name: "ann",
    email: "ann@example.com",
    emailVerified: true,
    phoneNumber: "+15551234567",
    phoneNumberVerified: true,
  }
  const draft = draftOf({ users: [proven] })
  const [ann] = draft.document.users
  renameUser(draft, ann!, "Ann", "at")
  setEmail(draft, ann!, "ann@example.com", "at")
  setPhoneNumber(draft, ann!, "+15551234567", "at")
  t.match(ann, { emailVerified: true, phoneNumberVerified: true })
  setEmail(draft, ann!, "ann@elsewhere.example", "at")
  t.match(ann, { emailVerified: false, phoneNumberVerified: true })
  setPhoneNumber(draft, ann!, "", "at")
  t.match(ann, { emailVerified: false, phoneNumberVerified: false })
})

t.test("delete_users", async (t) => {
  const { client, organizationId, root, rootUserId, submit, alice } = await settled(t)
  const bob = await client.user({ organizationId, root, rootUserId }, "bob")

  t.test("refuses unknown users and members of the root quorum, and deletes none of the list", async (t) => {
    const refuses = (userIds: string[], code: Parameters<typeof refusedAt>[4], field: string) =>
      refusedAt(t, client, root, ["DELETE_USERS", organizationId, { userIds }], code, field)
    await refuses([alice.userId, NIL], "RESOURCE_UNKNOWN", "parameters.userIds[1]")
    await refuses([alice.userId, rootUserId], "QUORUM_MEMBER", "parameters.userIds[1]")
    await refuses([rootUserId], "QUORUM_MEMBER", "parameters.userIds[0]")
    await refuses([], "REQUEST_INVALID", "parameters.userIds")
    const sentence = await refuses([rootUserId, alice.userId], "QUORUM_MEMBER", "parameters.userIds[0]")
    t.match(sentence, /^quorum users missing: /)
  })

  t.test("is refused to a user without policies, also for themselves", async (t) => {
    const order = ["DELETE_USERS", organizationId, { userIds: [alice.userId] }] as const
    await refusedAt(t, client, alice.key, order, "PERMISSION_DENIED")
  })

  t.test("deletes users with their keys, tags and names, each user once", async (t) => {
    const { userTagId } = valueOf(
      await submit("CREATE_USER_TAG", { userTagName: "staff", userIds: [alice.userId, bob.userId] }),
      "createUserTagResult",
    )
    const done = await submit("DELETE_USERS", { userIds: [alice.userId, alice.userId] })
    t.same(valueOf(done, "deleteUsersResult").userIds, [alice.userId])
    const { users, tags } = documentOf(client, organizationId)
    t.same(
      users.map(({ userId }) => userId),
      [rootUserId, bob.userId],
    )
    t.same(
      tags.map(({ tagId }) => tagId),
      [userTagId],
      "a tag outlives those who had it",
    )
    const order = [
      "CREATE_API_KEYS_V2",
      organizationId,
      { userId: alice.userId, apiKeys: [apiKey(newKey())] },
    ] as const
    await refusedAt(t, client, alice.key, order, "CREDENTIAL_UNKNOWN")
    const removed = await submit("DELETE_USER_TAGS", { userTagIds: [userTagId] })
    t.same(valueOf(removed, "deleteUserTagsResult").userIds, [bob.userId])
    const again = await submit("CREATE_USERS_V4", { users: [userParams("alice", alice.key)] })
    t.not(
      valueOf(again, "createUsersResult").userIds[0],
      alice.userId,
      "name and key are free, the id is new",
    )
  })

  t.test("deletes a former root user", async (t) => {
    await submit("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [bob.userId] })
    await client.submit(bob.key, TYPE("DELETE_USERS"), organizationId, { userIds: [rootUserId] })
    t.notOk(userOf(client, organizationId, rootUserId))
    const last = ["DELETE_USERS", organizationId, { userIds: [bob.userId] }] as const
    await refusedAt(t, client, bob.key, last, "QUORUM_MEMBER", "parameters.userIds[0]")
  })
})
