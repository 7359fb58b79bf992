// Effects of each operation on user tags on the document, and each refusal: its code, and nothing stored.
import t, { type Test } from "tap"
import { TagType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { valueOf } from "../harness/api-client.ts"
import { documentOf } from "../harness/document.ts"
import { NIL } from "./boundary/names.ts"
import { refusedAt, settled } from "./refused.ts"

t.test("tags of users", async (t) => {
  const { client, organizationId, root, rootUserId, submit, alice } = await settled(t, {
    COUNTERSIGN_SIGNER_MAX_TAGS: "100",
  })
  const { userId: bobId } = await client.user({ organizationId, root, rootUserId }, "bob")
  const tags = () => documentOf(client, organizationId).tags
  const carriers = (tagId: string) =>
    documentOf(client, organizationId)
      .users.filter(({ tagIds }) => tagIds.includes(tagId))
      .map(({ userId }) => userId)
  const make = async (userTagName: string, ...userIds: string[]) =>
    valueOf(await submit("CREATE_USER_TAG", { userTagName, userIds }), "createUserTagResult")
  const refuses = (t: Test, type: string, parameters: object, code: RefusalName, field: string) =>
    refusedAt(t, client, root, [type, organizationId, parameters], code, `parameters.${field}`)

  t.test("are created with the users who get them, each once", async (t) => {
    const { userTagId, userIds } = await make("agents", alice.userId, bobId, alice.userId)
    t.same(userIds, [alice.userId, bobId])
    t.match(tags(), [{ tagId: userTagId, name: "agents", type: TagType.USER }])
    t.same(carriers(userTagId), [alice.userId, bobId])
    t.match((await make("nobody's")).userIds, [])
  })

  t.test("are refused for unknown users and for names that are taken or invalid", async (t) => {
    const made = { userTagName: "new", userIds: [] }
    await refuses(t, "CREATE_USER_TAG", { ...made, userTagName: "agents" }, "NAME_TAKEN", "userTagName")
    await refuses(t, "CREATE_USER_TAG", { ...made, userTagName: "" }, "REQUEST_INVALID", "userTagName")
    const long = "n".repeat(257)
    await refuses(t, "CREATE_USER_TAG", { ...made, userTagName: long }, "REQUEST_INVALID", "userTagName")
    await refuses(t, "CREATE_USER_TAG", { ...made, userIds: [bobId, NIL] }, "RESOURCE_UNKNOWN", "userIds[1]")
    await refuses(t, "CREATE_USER_TAG", { userTagName: "new" }, "REQUEST_INVALID", "userIds")
  })

  t.test("are renamed, assigned and removed", async (t) => {
    const { userTagId } = await make("approvers", bobId)
    const update = (change: object) => ({ userTagId, addUserIds: [], removeUserIds: [], ...change })
    const change = { newUserTagName: "signers", addUserIds: [alice.userId], removeUserIds: [bobId] }
    const done = await submit("UPDATE_USER_TAG", update(change))
    t.equal(valueOf(done, "updateUserTagResult").userTagId, userTagId)
    t.same(carriers(userTagId), [alice.userId])
    t.match(
      tags().find(({ tagId }) => tagId === userTagId),
      { name: "signers" },
    )
    await submit("UPDATE_USER_TAG", update({ addUserIds: [alice.userId], removeUserIds: [bobId] }))
    t.same(carriers(userTagId), [alice.userId], "who has it keeps it, who has it not loses nothing")
    t.match(
      tags().find(({ tagId }) => tagId === userTagId),
      { name: "signers" },
      "and its name stays",
    )
    await submit("UPDATE_USER_TAG", update({ newUserTagName: "signers" }))

    await refuses(t, "UPDATE_USER_TAG", update({ userTagId: NIL }), "RESOURCE_UNKNOWN", "userTagId")
    await refuses(t, "UPDATE_USER_TAG", update({ newUserTagName: "agents" }), "NAME_TAKEN", "newUserTagName")
    await refuses(t, "UPDATE_USER_TAG", update({ newUserTagName: "" }), "REQUEST_INVALID", "newUserTagName")
    await refuses(t, "UPDATE_USER_TAG", update({ addUserIds: [NIL] }), "RESOURCE_UNKNOWN", "addUserIds[0]")
    await refuses(
      t,
      "UPDATE_USER_TAG",
      update({ removeUserIds: [NIL] }),
      "RESOURCE_UNKNOWN",
      "removeUserIds[0]",
    )
    const both = { addUserIds: [bobId], removeUserIds: [alice.userId, bobId] }
    await refuses(t, "UPDATE_USER_TAG", update(both), "REQUEST_INVALID", "removeUserIds")
  })

  t.test("are deleted, and the result names the tags and the users who had any of them", async (t) => {
    const [one, two, kept] = [
      await make("one", alice.userId),
      await make("two", bobId),
      await make("kept", bobId),
    ]
    const gone = [one.userTagId, two.userTagId]
    await refuses(
      t,
      "DELETE_USER_TAGS",
      { userTagIds: [one.userTagId, NIL] },
      "RESOURCE_UNKNOWN",
      "userTagIds[1]",
    )
    await refuses(t, "DELETE_USER_TAGS", { userTagIds: [] }, "REQUEST_INVALID", "userTagIds")
    const done = await submit("DELETE_USER_TAGS", { userTagIds: [...gone, one.userTagId] })
    const { userTagIds, userIds } = valueOf(done, "deleteUserTagsResult")
    t.same({ userTagIds, userIds }, { userTagIds: gone, userIds: [alice.userId, bobId] })
    t.same(gone.map(carriers), [[], []])
    t.same(carriers(kept.userTagId), [bobId])
    await refuses(t, "DELETE_USER_TAGS", { userTagIds: gone }, "RESOURCE_UNKNOWN", "userTagIds[0]")
    await make("one")
  })

  t.test("are refused to a user without policies", async (t) => {
    const [tag] = tags()
    const userTagId = tag!.tagId
    for (const [type, parameters] of [
      ["CREATE_USER_TAG", { userTagName: "kings", userIds: [alice.userId] }],
      ["UPDATE_USER_TAG", { userTagId, addUserIds: [alice.userId], removeUserIds: [] }],
      ["DELETE_USER_TAGS", { userTagIds: [userTagId] }],
    ] as const)
      await refusedAt(t, client, alice.key, [type, organizationId, parameters], "PERMISSION_DENIED")
  })

  t.test("are as many as the operator allows", async (t) => {
    for (let count = tags().length; count < 100; count++) await make(`tag ${count}`)
    const order = ["CREATE_USER_TAG", organizationId, { userTagName: "one too many", userIds: [] }] as const
    await refusedAt(t, client, root, order, "LIMIT_EXCEEDED")
    await submit("DELETE_USER_TAGS", { userTagIds: [tags()[0]!.tagId] })
    t.ok((await make("one too many")).userTagId)
  })
})
