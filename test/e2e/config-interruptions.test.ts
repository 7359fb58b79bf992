// Organizations as files: a command that is killed, or gets no reply, continues and makes nothing twice.
import { text } from "node:stream/consumers"
import t from "tap"
import { join } from "node:path"
import { keep, keptFile } from "../../services/terminal-client/changes/kept-requests.ts"
import { configFiles } from "../harness/config-files.ts"
import { Program } from "../harness/program.ts"
import { webServer } from "../harness/web-server.ts"
import { commandLine } from "../services/cli/command-line.ts"

t.test("an interrupted config apply", async (t) => {
  const { system, keys, organizationOf } = await configFiles()

  t.test("a killed command continues, and makes no activity twice", async (t) => {
    const { directory, file, write, run, submitted } = await organizationOf(t)
    const userTags = Array.from({ length: 12 }, (_, index) => `tag ${index}`)
    write({ userTags })
    const kills = [1, 2, 5]
    for (const count of kills) {
      const words = ["config", "apply", file, "--yes", "--api", system.url]
      const program = new Program({
        file: "services/cli/main.ts",
        words,
        environment: { COUNTERSIGN_DATA_DIR: directory },
      })
      await program.until(new RegExp(`(?:done[^\\n]*\\n[^]*){${count}}`))
      await program.stop()
    }
    t.equal((await run("apply", file, "--yes")).status, 0)
    t.match(await run("apply", file, "--yes"), { status: 0, out: /nothing to do/ })
    const made = (await submitted("CREATE_USER_TAG")).map(({ intent, status }) => {
      t.equal(status, "ACTIVITY_STATUS_COMPLETED")
      return (intent as { createUserTagIntent: { userTagName: string } }).createUserTagIntent.userTagName
    })
    t.strictSame(made.toSorted(), userTags.toSorted())
  })

  t.test("a reply that was lost is asked for again with the same bytes", async (t) => {
    const { organizationId, directory, file, write, submitted } = await organizationOf(t)
    write({ userTags: ["treasury"] })
    let isLost = true
    const bodies: string[] = []
    const front = await webServer(async (request, response) => {
      const path = request.url ?? ""
      const body = await text(request)
      const headers = { "x-stamp": String(request.headers["x-stamp"]), "content-type": "application/json" }
      const reply = await fetch(`${system.url}${path}`, { method: "POST", body, headers })
      if (path.includes("/submit/")) bodies.push(body)
      if (path.includes("/submit/") && isLost) {
        isLost = false
        request.socket.destroy()
        return
      }
      response.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text())
    })
    t.teardown(() => front.close())
    const apply = (api: string) =>
      commandLine({ COUNTERSIGN_DATA_DIR: directory }, "config", "apply", file, "--yes", "--api", api)
    const url = `http://127.0.0.1:${front.port}`
    t.match(await apply(url), { status: 5, log: /create user tag treasury.*\n.*The same command continues/ })
    // As if the API had not done it: the organization shows nothing, and the kept body is sent again.
    t.match(await apply(url), { status: 0 })
    t.equal((await submitted("CREATE_USER_TAG")).length, 1)
    t.equal(bodies.length, 1, "what was done is seen from the organization")

    write({ userTags: ["treasury", "signers"] })
    const parameters = { userTagName: "signers", userIds: [] }
    const body = system.body("CREATE_USER_TAG", organizationId, parameters)
    const type = "ACTIVITY_TYPE_CREATE_USER_TAG"
    const folder = join(directory, "requests")
    const publicKey = keys.root.publicKeyHex
    const sentAtMs = Date.now()
    const requestFile = keptFile(folder, { organizationId, publicKey, type, parameters })
    await keep(folder, requestFile, { body, sentAtMs }, sentAtMs)
    t.match(await apply(url), { status: 0 })
    t.equal(bodies[1], body, "a body that may have been sent is sent again, not another one")
    t.match(await apply(url), { status: 0, out: /nothing to do/ })
  })
})
