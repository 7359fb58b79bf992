import t from "tap"
import { z } from "zod"
import { readConfig } from "../../../services/common/config.ts"
import { listenAddress, wholeNumber } from "../../../services/common/setting-kinds.ts"

t.test("reads, freezes, takes an empty variable for an absent one", async (t) => {
  const shape = { COUNTERSIGN_A: z.string().default("a"), COUNTERSIGN_B: wholeNumber(2, 1, 5) }
  const values = readConfig(shape, { COUNTERSIGN_A: "", COUNTERSIGN_B: "4", OTHER: "x" })
  t.same(values, { COUNTERSIGN_A: "a", COUNTERSIGN_B: 4 })
  t.ok(Object.isFrozen(values))
})

t.test("refuses unknown names with our prefix and offers what was meant", async (t) => {
  const shape = { COUNTERSIGN_TOKEN_FILE: z.string().optional() }
  t.throws(() => readConfig(shape, { COUNTERSIGN_TOKEN: "x" }), /did you mean COUNTERSIGN_TOKEN_FILE\?/)
  t.throws(() => readConfig({}, { COUNTERSIGN_DATA_DIRS: "x" }), /did you mean COUNTERSIGN_DATA_DIR\?/)
  t.throws(() => readConfig({}, { COUNTERSIGN_QQQQQQQQQQQQ: "x" }), /there is no such setting$/)
})

t.test("listen addresses", async (t) => {
  const schema = listenAddress("localhost:1")
  t.same(schema.parse("0.0.0.0:80"), { host: "0.0.0.0", port: 80 })
  t.same(schema.parse("[::1]:8080"), { host: "::1", port: 8080 })
  for (const text of ["8080", "a:b", "a:99999", "::1:80", "a b:1"])
    t.notOk(schema.safeParse(text).success, text)
})
