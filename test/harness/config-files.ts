import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Test } from "tap"
import { readApiKey } from "../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../services/terminal-client/key-folder.ts"
import { commandLine } from "../services/cli/command-line.ts"
import { sharedSystem } from "./shared-system.ts"
import { newKey, type TestKey } from "./stamper.ts"
import { type Json, privateKeyHex } from "./system.ts"

/** Organizations as files, by the command line against the shared system, with keys of three users. */
export async function configFiles() {
  const system = await sharedSystem()
  const keys = { root: newKey(), alice: newKey(), bob: newKey() }
  const keyOf = (name: keyof typeof keys) => ({ apiKeyName: name, publicKey: keys[name].publicKeyHex })

  /** A data directory with all keys, which stamp for this organization. */
  const folderFor = async (t: Pick<Test, "testdir">, organizationId: string): Promise<string> => {
    const directory = t.testdir()
    for (const [name, key] of Object.entries(keys))
      await saveKey(join(directory, "keys"), name, key, organizationId)
    return directory
  }
  const runIn =
    (directory: string) =>
    (...words: string[]) =>
      commandLine({ COUNTERSIGN_DATA_DIR: directory }, "config", ...words, "--api", system.url)

  /** An organization of root, alice and bob, and its data directory. */
  const organizationOf = async (t: Test) => {
    const made = await system.createOrganization("Acme", keys.root)
    const directory = await folderFor(t, made.organizationId)
    const file = join(directory, "organization.yaml")
    const write = (value: object) => writeFileSync(file, JSON.stringify({ version: 1, ...value }))
    const run = runIn(directory)
    const users = [
      { userName: "root" },
      { userName: "alice", apiKeys: [keyOf("alice")] },
      { userName: "bob", apiKeys: [keyOf("bob")] },
    ]
    write({ users })
    t.equal((await run("apply", file, "--yes")).status, 0)
    const submitted = async (type: string): Promise<Json[]> => {
      const parameters = {
        organizationId: made.organizationId,
        filterByType: [`ACTIVITY_TYPE_${type}`],
        paginationOptions: { limit: "100" },
      }
      return (await system.query("list_activities", parameters, keys.root)).json["activities"] as Json[]
    }
    return { ...made, directory, file, write, run, users, submitted }
  }
  return { system, keys, keyOf, folderFor, runIn, organizationOf }
}

async function saveKey(folder: string, name: string, key: TestKey, organizationId: string): Promise<void> {
  const apiKey = readApiKey(privateKeyHex(key))
  if (apiKey === undefined) throw new Error("a key of the test cannot be read")
  await writeKey(folder, name, apiKey)
  await bindKey(folder, name, organizationId)
}
