// Text of colleagues and of the API in what the pages print.
import { execFileSync } from "node:child_process"
import t from "tap"
import { pathOf } from "../../../services/dashboard/words/activity.ts"
import { commandFor } from "../../../services/dashboard/words/command.ts"
import { prettyJson } from "../../../services/dashboard/words/visible.ts"

t.test("W25: JSON neither reorders nor hides text, and is the same JSON", async (t) => {
  const parameters = { policyName: "small\u202estnemyap\u2066\u0007\nall\u3164", effect: "EFFECT_ALLOW" }
  t.notMatch(prettyJson(parameters), /[\u202e\u2066\u3164]/)
  t.same(JSON.parse(prettyJson(parameters)), parameters)
})

t.test("W25: a type that the API states is one word of the printed command", async (t) => {
  const type = "ACTIVITY_TYPE_X'; touch owned; echo '"
  const command = commandFor({ path: pathOf(type), type }, { note: "it's $(touch owned)" })
  const words = execFileSync("sh", ["-c", `npx() { printf '%s\\n' "$@"; }; ${command}`], {
    cwd: t.testdir(),
    encoding: "utf8",
  })
  t.same(words.trimEnd().split("\n"), [
    "countersign",
    "request",
    "x'; touch owned; echo '",
    `{"note":"it's $(touch owned)"}`,
    "--submit",
    "x'; touch owned; echo '",
    "--prove",
    "--as",
    "NAME",
  ])
})
