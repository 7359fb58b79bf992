import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import t from "tap"
import { readSettings } from "../../../services/terminal-client/settings.ts"
import { type EnvValues, writeEnvFile } from "../../../services/dev/env-file.ts"

const values: EnvValues = {
  authProxyUrl: "http://localhost:8081",
  authProxyConfigId: "c-1",
  dashboardUrl: "http://localhost:8082",
  url: "http://localhost:8080",
  organizationId: "11111111-1111-4111-8111-111111111111",
  publicKey: "02aa",
  privateKey: "5ec4e7",
  userId: "22222222-2222-4222-8222-222222222222",
  walletId: "33333333-3333-4333-8333-333333333333",
  address: "0x8A3b",
}

t.test("the environment file has every variable name of the published examples", async (t) => {
  const file = join(t.testdir(), ".env.local")
  await writeEnvFile(file, values)
  t.match(parseEnv(readFileSync(file, "utf8")), {
    API_PUBLIC_KEY: "02aa",
    API_PRIVATE_KEY: "5ec4e7",
    BASE_URL: values.url,
    ORGANIZATION_ID: values.organizationId,
    SIGN_WITH: "0x8A3b",
    DASHBOARD_URL: values.dashboardUrl,
    TURNKEY_API_PUBLIC_KEY: "02aa",
    TURNKEY_API_PRIVATE_KEY: "5ec4e7",
    TURNKEY_BASE_URL: values.url,
    TURNKEY_ORGANIZATION_ID: values.organizationId,
    NEXT_PUBLIC_BASE_URL: values.url,
    NEXT_PUBLIC_ORGANIZATION_ID: values.organizationId,
    EXPO_PUBLIC_TURNKEY_API_BASE_URL: values.url,
    EXPO_PUBLIC_TURNKEY_ORGANIZATION_ID: values.organizationId,
    VITE_TURNKEY_ORGANIZATION_ID: values.organizationId,
    NEXT_PUBLIC_RPID: "localhost",
    USER_ID: values.userId,
    WALLET_ID: values.walletId,
  })
})

t.test("the environment file has the private key under no name that bundlers send to browsers", async (t) => {
  const file = join(t.testdir(), ".env.local")
  await writeEnvFile(file, values)
  const carriers = Object.entries(parseEnv(readFileSync(file, "utf8"))).filter(
    ([, value]) => value === "5ec4e7",
  )
  for (const [name] of carriers) t.notMatch(name, /^(NEXT|VITE|EXPO)_/)
  t.equal(carriers.length, 2)
})

t.test("the environment file is readable by its owner only, also if an older file was not", async (t) => {
  const file = join(t.testdir(), ".env.local")
  writeFileSync(file, "MINE=1\n")
  chmodSync(file, 0o644)
  await writeEnvFile(file, values)
  t.equal(statSync(file).mode & 0o777, 0o600)
})

t.test("the environment file keeps lines of others", async (t) => {
  const file = join(t.testdir(), ".env.local")
  writeFileSync(file, "MINE=1")
  await writeEnvFile(file, values)
  writeFileSync(file, `${readFileSync(file, "utf8")}ALSO_MINE=2\n`)
  await writeEnvFile(file, { ...values, url: "http://localhost:8090" })
  const text = readFileSync(file, "utf8")
  t.match(parseEnv(text), { MINE: "1", ALSO_MINE: "2", BASE_URL: "http://localhost:8090" })
  t.equal(text.split("\n").filter((line) => line.startsWith("BASE_URL=")).length, 1)
})

t.test("writing the environment file returns whether it changed", async (t) => {
  const file = join(t.testdir(), ".env.local")
  t.ok(await writeEnvFile(file, values))
  t.notOk(await writeEnvFile(file, values))
  t.ok(await writeEnvFile(file, undefined))
  t.notOk(await writeEnvFile(file, undefined))
})

t.test("removing the lines removes the file if no other line remains", async (t) => {
  const file = join(t.testdir(), ".env.local")
  await writeEnvFile(file, values)
  await writeEnvFile(file, undefined)
  t.notOk(existsSync(file))
  writeFileSync(file, "MINE=1\n")
  await writeEnvFile(file, values)
  await writeEnvFile(file, undefined)
  t.equal(readFileSync(file, "utf8"), "MINE=1\n")
})

t.test("commands ask the addresses of the file, unless a setting names a port", async (t) => {
  const folder = t.testdir({
    ".env.local": "BASE_URL=http://localhost:8090\nDASHBOARD_URL=http://localhost:8092\n",
  })
  const read = (apiListen: string, dashboardListen: string) => {
    const { apiUrl, dashboardUrl } = readSettings({
      COUNTERSIGN_DATA_DIR: folder,
      COUNTERSIGN_API_LISTEN: apiListen,
      COUNTERSIGN_DASHBOARD_LISTEN: dashboardListen,
    })
    return [apiUrl, dashboardUrl]
  }
  t.same(read("", ""), ["http://localhost:8090", "http://localhost:8092"])
  t.same(
    read("localhost:0", "localhost:0"),
    ["http://localhost:8090", "http://localhost:8092"],
    "port 0 is chosen",
  )
  t.same(read("localhost:7001", "localhost:7002"), ["http://localhost:7001", "http://localhost:7002"])
})
