import t from "tap"
import { TagType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  addTag,
  removePrivateKeysFromTags,
  removePrivateKeyTags,
  removeUserTags,
  renameTag,
  requireTag,
  requireTags,
  setTagsOfUser,
  tagPrivateKeys,
  tagUsers,
  untagPrivateKeys,
  untagUsers,
} from "../../../../signer/enclave/organization/tags.ts"
import { DEFAULT_LIMITS } from "../../../../signer/enclave/organization/limits.ts"
import { draftOf, NOW, refusal } from "./drafts.ts"

const { USER, PRIVATE_KEY } = TagType
const users = ["ann", "ben", "cid"].map((userId) => ({ userId, name: userId }))
const tags = [
  { tagId: "u1", name: "one", type: USER },
  { tagId: "u2", name: "two", type: USER },
  { tagId: "k1", name: "one", type: PRIVATE_KEY, privateKeyIds: ["key 1", "key 2"] },
  { tagId: "k2", name: "two", type: PRIVATE_KEY, privateKeyIds: ["key 2"] },
]

t.test("a new tag has name, type and time, and is on nothing", async (t) => {
  const draft = draftOf()
  addTag(draft, { tagId: "t", name: "agents", type: PRIVATE_KEY }, "at")
  t.match(draft.nextVersion(1n), {
    version: 2n,
    tags: [{ tagId: "t", name: "agents", type: PRIVATE_KEY, privateKeyIds: [], createdAtMs: BigInt(NOW) }],
  })
})

t.test("names are unique among the tags of a type, character by character", async (t) => {
  const draft = draftOf({ tags })
  const add = (name: string, type: TagType) => () => addTag(draft, { tagId: "new", name, type }, "at.name")
  t.throws(add("one", USER), refusal("NAME_TAKEN", "at.name"))
  t.throws(add("one", PRIVATE_KEY), refusal("NAME_TAKEN", "at.name"))
  t.doesNotThrow(add("One", USER))
  t.doesNotThrow(add("three", PRIVATE_KEY))
  const tag = requireTag(draft, USER, "u1", "at")
  t.throws(() => renameTag(draft, tag, "two", "at"), refusal("NAME_TAKEN", "at"))
  t.doesNotThrow(() => renameTag(draft, tag, "one", "at"), "its own name is not in its way")
  t.doesNotThrow(() => renameTag(draft, tag, "three", "at"), "nor is that of a tag of the other type")
})

t.test("an organization has as many tags of both types together as the operator allows", async (t) => {
  for (const parentId of ["", "parent"]) {
    const most = 12
    const draft = draftOf({ parentId }, { ...DEFAULT_LIMITS, tags: most })
    const add = (index: number) => {
      const type = index % 2 === 0 ? USER : PRIVATE_KEY
      addTag(draft, { tagId: `t${index}`, name: `tag ${index}`, type }, "at")
    }
    for (let index = 0; index < most; index++) add(index)
    t.throws(() => add(most), refusal("LIMIT_EXCEEDED"))
    t.throws(() => add(most + 1), refusal("LIMIT_EXCEEDED"))
    removeUserTags(draft, ["t0"], "at")
    t.doesNotThrow(() => add(most))
  }
})

t.test("ids of tags of the other type are unknown", async (t) => {
  const draft = draftOf({ tags })
  t.equal(requireTag(draft, USER, "u2", "at").name, "two")
  t.throws(() => requireTag(draft, USER, "k1", "at"), refusal("RESOURCE_UNKNOWN", "at"))
  t.throws(() => requireTag(draft, PRIVATE_KEY, "u1", "at"), refusal("RESOURCE_UNKNOWN", "at"))
  t.throws(() => requireTags(draft, USER, ["u1", "none"], "at"), refusal("RESOURCE_UNKNOWN", "at[1]"))
  t.same(
    requireTags(draft, USER, ["u2", "u1", "u2"], "at").map(({ tagId }) => tagId),
    ["u2", "u1"],
    "each once",
  )
})

t.test("users are tagged and untagged, each once", async (t) => {
  const draft = draftOf({ users, tags })
  const [ann, ben, cid] = draft.document.users
  const tag = requireTag(draft, USER, "u1", "at")
  tagUsers(draft, tag, [ann!, ben!])
  tagUsers(draft, tag, [ben!, ben!])
  untagUsers(draft, tag, [ann!, cid!])
  t.same(
    draft.document.users.map(({ tagIds }) => tagIds),
    [[], ["u1"], []],
  )
  t.equal(ben?.updatedAtMs, BigInt(NOW))
  t.equal(cid?.updatedAtMs, 0n, "who had no tag was not changed")
  setTagsOfUser(draft, ben!, ["u2", "u2"], "at")
  t.same(ben?.tagIds, ["u2"])
  t.throws(() => setTagsOfUser(draft, ben!, ["k1"], "at"), refusal("RESOURCE_UNKNOWN", "at[0]"))
  setTagsOfUser(draft, ben!, [], "at")
  t.same(ben?.tagIds, [])
})

t.test("deleting user tags removes them from every user, and returns those users", async (t) => {
  const carried = [["u1"], ["u2", "u1"], []]
  const draft = draftOf({ users: users.map((user, index) => ({ ...user, tagIds: carried[index]! })), tags })
  t.same(removeUserTags(draft, ["u1", "u1"], "at"), { userTagIds: ["u1"], userIds: ["ann", "ben"] })
  t.same(
    draft.document.users.map(({ tagIds }) => tagIds),
    [[], ["u2"], []],
  )
  t.same(
    draft.document.tags.map(({ tagId }) => tagId),
    ["u2", "k1", "k2"],
  )
  t.throws(() => removeUserTags(draft, ["u2", "u1"], "at"), refusal("RESOURCE_UNKNOWN", "at[1]"))
})

t.test("private keys are tagged, untagged and removed from tags", async (t) => {
  const draft = draftOf({ tags })
  const members = () => draft.document.tags.map(({ privateKeyIds }) => privateKeyIds)
  const tag = requireTag(draft, PRIVATE_KEY, "k2", "at")
  tagPrivateKeys(draft, tag, ["key 3", "key 2"], "at")
  t.same(members(), [[], [], ["key 1", "key 2"], ["key 2", "key 3"]])
  untagPrivateKeys(draft, tag, ["key 3", "key 4"])
  t.same(members(), [[], [], ["key 1", "key 2"], ["key 2"]])
  t.same(removePrivateKeyTags(draft, ["k2", "k1"], "at"), {
    privateKeyTagIds: ["k2", "k1"],
    privateKeyIds: ["key 2", "key 1"],
  })
  t.throws(() => removePrivateKeyTags(draft, ["u1"], "at"), refusal("RESOURCE_UNKNOWN", "at[0]"))
  const other = draftOf({ tags })
  removePrivateKeysFromTags(other, ["key 2"])
  t.same(
    other.document.tags.map(({ privateKeyIds }) => privateKeyIds),
    [[], [], ["key 1"], []],
  )
})
