import { EXPRESSION_KINDS, isFault } from "../../../../../signer/core/fault.ts"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { compile } from "../../../../../signer/core/policy/expression.ts"
import { formulaOf, holds } from "../../../../../signer/core/policy/decision/vote-formula.ts"

const read = (text: string) => formulaOf(compile(text, "consensus"))

t.test("a consensus over numbers of votes is a formula over the lengths of lists", async (t) => {
  const { root, lists, opaque } = read(
    "approvers.any(u, u.id == 'dan') && !(approvers.filter(u, u.tags.contains('admin')).count() < 2)",
  )
  t.same(opaque, [])
  t.equal(lists.length, 2)
  for (const [lengths, isMet] of [
    [[1, 2], true],
    [[1, 1], false],
    [[0, 2], false],
    [[2, 9], true],
  ] as const)
    t.equal(holds(root, lengths), isMet, lengths.join())
})

t.test("a list that is read twice is one list; lengths beyond the largest integer are alike", async (t) => {
  const rows: readonly [text: string, bounds: number[]][] = [
    ["approvers.any(u, u.id == '7')", [2]],
    ["approvers.any(u, u.id == '7') && approvers.count() >= 2", [2, 3]],
    ["approvers.count() >= 5 || 2 <= approvers.count()", [6]],
    ["approvers.all(u, u.id == 'a')", [1]],
    ["approvers.any(u, u.id == 'a') && approvers.filter(u, u.id == 'a').count() >= 3", [4]],
    ["approvers.any(u, u.id == 'a') && approvers.all(u, u.id == 'a')", [2, 1]],
    ["approvers.count() > credentials.count()", [Infinity, Infinity]],
    ["approvers.count() >= 99999999999999999999", [2 ** 31 + 1]],
  ]
  for (const [text, bounds] of rows) {
    const { lists } = read(text)
    t.same(
      lists.map(({ bound }) => bound),
      bounds,
      text,
    )
  }
})

t.test("a consensus that compares votes with each other has an opaque part", async (t) => {
  const rows: readonly [text: string, places: Record<string, number> | undefined][] = [
    ["approvers[0].id == 'dan'", { approvers: 1 }],
    ["approvers[2].id == approvers[0].id && approvers.count() >= 2", { approvers: 3 }],
    ["credentials[1].user_id == approvers[0].id", { credentials: 2, approvers: 1 }],
    ["approvers[0..1].count() == 1", undefined],
    ["approvers.filter(u, u.id != 'dan')[0].id == 'eva'", undefined],
    ["approvers.count() in [2, 4]", undefined],
    ["[approvers].count() == 1", undefined],
    ["approvers.any(u, credentials.any(c, c.user_id == u.id))", undefined],
    ["['dan'].any(id, approvers.any(u, u.id == id))", undefined],
  ]
  for (const [text, places] of rows) {
    const { opaque } = read(text)
    t.equal(opaque.length, 1, text)
    t.same(opaque[0]?.places && Object.fromEntries(opaque[0].places), places, text)
  }
})

t.test("parts without votes are constants, and one without a value makes the whole fail", async (t) => {
  t.ok(holds(read("['a'].count() == 1 || approvers.count() > 7").root, [0]))
  t.notOk(holds(read("2 < 1 || approvers.count() > 7").root, [0]))
  t.notOk(holds(read("['a'][1] == 'a' || approvers.count() > 7").root, [9]))
  t.ok(holds(read("approvers.count() >= ['a', 'b'].count()").root, [2]))
  t.ok(holds(read("(approvers.count() > 1) == (credentials.count() > 1)").root, [0, 1]))
  t.notOk(holds(read("(approvers.count() > 1) != (credentials.count() > 1)").root, [0, 1]))
})

t.test("a list that compares parts of votes with literal texts alone says which", async (t) => {
  const comparedBy = (condition: string, root = "approvers") =>
    read(`${root}.any(u, ${condition})`).lists[0]?.compared?.map(({ part, texts }) => [part, ...texts])
  t.same(comparedBy("u.id == 'a' || 'b' != u.alias"), [
    ["approvers.id", "a"],
    ["approvers.alias", "b"],
  ])
  t.same(comparedBy("u.id in ['a', 'b'] && !(u.email == '')"), [
    ["approvers.id", "a", "b"],
    ["approvers.email", ""],
  ])
  t.same(comparedBy("u.tags.contains('a') || 'b' in u.tags"), [
    ["approvers.tags", "a"],
    ["approvers.tags", "b"],
  ])
  // Whether a user has tags at all is compared too: the list of no tags satisfies every test.
  t.same(comparedBy("u.tags.all(t, t == 'a' || t in ['b'])"), [
    ["approvers.tags"],
    ["approvers.tags", "a"],
    ["approvers.tags", "b"],
  ])
  t.same(comparedBy("(u.id == 'a') == (u.type == 'CREDENTIAL_TYPE_LOGIN')", "credentials"), [
    ["credentials.id", "a"],
    ["credentials.type", "CREDENTIAL_TYPE_LOGIN"],
  ])
  for (const condition of [
    "u.tags.count() > 1",
    "u.tags[0] == 'a'",
    "u.email[0] == 'a'",
    "u.id == u.alias",
    "u.tags.any(t, t == u.id)",
    "['a'].any(x, u.id == x)",
    "CaseInsensitiveString(u.email) == 'a'",
    "u.id in ['a', u.alias]",
  ])
    t.equal(comparedBy(condition), undefined, condition)
})

t.test("every published consensus is a formula without opaque parts", async (t) => {
  const file = join(import.meta.dirname, "../../../../vectors/policies/expressions.json")
  const { expressions } = JSON.parse(readFileSync(file, "utf8")) as {
    expressions: { field: string; expression: string }[]
  }
  let count = 0
  for (const { field, expression } of expressions) {
    if (field !== "consensus") continue
    try {
      t.same(read(expression).opaque, [], expression)
      count += 1
    } catch (error) {
      if (!isFault(error, ...EXPRESSION_KINDS)) throw error
    }
  }
  t.ok(count > 15, `${count} expressions`)
})
