import t from "tap"
import { tableOf } from "../../../services/cli/output/table.ts"

const ITEMS = [
  { name: "alice", id: "019b76da-a800-7000-8000-00000000000a", email: "alice@example.com" },
  { name: "bob", id: "019b76da-a800-7000-8000-00000000000b" },
]
const COLUMNS = { name: "name", id: "id", email: "email" }

t.test("a list is a table, as wide as its texts", (t) => {
  const lines = [
    "NAME   ID                                    EMAIL",
    "alice  019b76da-a800-7000-8000-00000000000a  alice@example.com",
    "bob    019b76da-a800-7000-8000-00000000000b",
  ]
  t.strictSame(tableOf(ITEMS, COLUMNS, undefined), lines)
  t.strictSame(tableOf(ITEMS, COLUMNS, 62), lines)
  t.end()
})

t.test("where a terminal is narrower, each item is a block", (t) => {
  t.strictSame(tableOf(ITEMS, COLUMNS, 61), [
    "NAME   alice",
    "ID     019b76da-a800-7000-8000-00000000000a",
    "EMAIL  alice@example.com",
    "",
    "NAME   bob",
    "ID     019b76da-a800-7000-8000-00000000000b",
  ])
  t.end()
})
