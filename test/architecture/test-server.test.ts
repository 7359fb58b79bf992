import { execFileSync } from "node:child_process"
import t from "tap"
import { testEnvironment } from "../../scripts/test-server.ts"
import { testServerUrl } from "../harness/database.ts"
import { ROOT, sourcesIn } from "./sources.ts"

/** Tests that start the embedded server wherever DATABASE_URL points, each with its reason. */
const ALWAYS_EMBEDDED: Readonly<Record<string, string>> = {
  "test/clients/passkey-page.test.ts": "shares a development system",
  "test/docs/commands.test.ts": "runs the commands of the documents as they stand, `npm start` first",
  "test/e2e/dev-https.test.ts": "it starts a development system with HTTPS",
  "test/e2e/dev.test.ts": "starts the development system, which brings its database with it",
  "test/e2e/kill.test.ts": "kills the server",
  "test/e2e/webhook-faults.test.ts": "kills the server",
  "test/services/cli/with-dev/access.test.ts": "shares a development system",
  "test/services/cli/with-dev/approvals.test.ts": "shares a development system",
  "test/services/cli/with-dev/config-on-ramp.test.ts": "shares a development system",
  "test/services/cli/with-dev/config.test.ts": "shares a development system",
  "test/services/cli/with-dev/email-templates.test.ts": "shares a development system",
  "test/services/cli/with-dev/move.test.ts": "shares a development system, and starts a second one",
  "test/services/cli/with-dev/operations.test.ts": "shares a development system",
  "test/services/cli/with-dev/profiles.test.ts": "shares a development system",
  "test/services/cli/with-dev/provider-credentials.test.ts": "shares a development system",
  "test/services/cli/with-dev/resources.test.ts": "shares a development system",
  "test/services/dev/embedded-binaries.test.ts": "is about its installation",
  "test/services/dev/embedded-postgres.test.ts": "is about its start and its end",
}

t.test("DATABASE_URL names the server of the tests, and no program under test sees it", async (t) => {
  const [url, TEST_DATABASE_URL] = ["postgres://one/mine", "postgres://two/postgres"]
  const embedded = { url: "postgres://three/postgres" }
  t.same(testEnvironment({ TERM: "x", DATABASE_URL: url, TEST_DATABASE_URL }, embedded), {
    TERM: "x",
    TEST_DATABASE_URL: url,
  })
  t.same(testEnvironment({ DATABASE_URL: "", TEST_DATABASE_URL }, embedded), { TEST_DATABASE_URL })
  t.same(testEnvironment({}, embedded), { TEST_DATABASE_URL: embedded.url })
  t.same(testEnvironment({ TERM: "x" }), { TERM: "x" })
})

t.test("a test file makes its databases on the server that DATABASE_URL names", async (t) => {
  const url = await testServerUrl()
  const { TEST_DATABASE_URL: _, ...environment } = process.env
  const program = `import { testServerUrl } from "./test/harness/database.ts"; console.log(await testServerUrl())`
  const told = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: ROOT,
    env: testEnvironment({ ...environment, DATABASE_URL: url }),
    encoding: "utf8",
  })
  t.equal(told.trim(), url)
})

t.test("every test that always starts the embedded server is listed", async (t) => {
  const starters = sourcesIn("test")
    .filter(({ path }) => path.endsWith(".test.ts") && path !== "test/architecture/test-server.test.ts")
    .filter(({ text }) =>
      /embedded-postgres\.ts"|\b(?:startDev|devOrganization|organizationWithFile)\(|"npm", \["start"\]/.test(
        text,
      ),
    )
  t.same(
    starters.map(({ path }) => path),
    Object.keys(ALWAYS_EMBEDDED),
  )
})
