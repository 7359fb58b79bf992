import { isAbsolute } from "node:path"
import t from "tap"
import { withCompileCache } from "../../../services/dev/compile-cache.ts"

t.test("programs keep compiled code beside the packages, unless the user names another folder", async (t) => {
  const { NODE_COMPILE_CACHE: folder = "", ...rest } = withCompileCache({ HOME: "/home/user" })
  t.match(folder, /\/node_modules\/\.cache\/countersign$/)
  t.ok(isAbsolute(folder), "whatever folder a program runs in")
  t.strictSame(rest, { HOME: "/home/user" })
  t.strictSame(withCompileCache({ NODE_COMPILE_CACHE: "/own" }), { NODE_COMPILE_CACHE: "/own" })
})
