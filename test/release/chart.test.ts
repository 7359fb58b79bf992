// The chart for Kubernetes: helm renders it, the schemas of Kubernetes accept it, and each pod's settings fit its program.
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { parseAllDocuments } from "yaml"
import { CHART } from "../../scripts/generators/chart.ts"
import { ROOT } from "../architecture/sources.ts"
import { judge } from "../harness/judges.ts"
import { casesOf } from "../harness/long.ts"
import { hasProgram, temporaryFolder } from "../harness/release.ts"

const { program: helm, skip } = judge("helm")
const KUBERNETES = "1.31"
const NEEDED = `
image: { registry: registry.example/wallet }
signer: { network: 10.0.0.5/32 }
fetcher: { network: 10.0.0.5/32 }
database: { network: 10.0.0.6/32 }
`

type Variable = { name: string; value?: string }
type Container = {
  env?: Variable[]
  securityContext: object
  command?: string[]
  volumeMounts: { mountPath: string }[]
}
type Pod = { securityContext: object; containers: Container[]; initContainers?: Container[] }
type Policy = { egress?: { to: { ipBlock?: { cidr: string } }[]; ports: { port: number }[] }[] }
type Manifest = {
  kind: string
  metadata: { name: string }
  spec: { template: { spec: Pod }; strategy: { type: string } } & Policy
}

type Rendered = { status: number | null; text: string; stderr: string; manifests: Manifest[] }

let needed: Rendered | undefined

/** Renders the chart with values beside those that it needs. Without others it is rendered once. */
function render(more = ""): Rendered {
  return more === "" ? (needed ??= renderNew("")) : renderNew(more)
}

function renderNew(more: string): Rendered {
  const file = join(folder, "values.yaml")
  writeFileSync(file, NEEDED + more)
  const words = ["template", "wallet", CHART, "--kube-version", KUBERNETES, "--values", file]
  const { status, stdout, stderr } = spawnSync(helm, words, { cwd: ROOT, encoding: "utf8" })
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest)
  return { status, text: stdout, stderr, manifests: manifests.filter(Boolean) }
}

const folder = temporaryFolder(t, "chart")
const deployments = () => render().manifests.filter(({ kind }) => kind === "Deployment")

t.test(
  "helm renders four processes, each with a budget of disruptions and network policies",
  { skip },
  async (t) => {
    const { status, stderr, manifests } = render()
    t.equal(status, 0, stderr)
    const names = (kind: string) =>
      manifests.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name.replace("wallet-", ""))
    const all = ["api", "auth-proxy", "dashboard", "worker"]
    t.strictSame(names("Deployment").toSorted(), all)
    t.strictSame(names("PodDisruptionBudget").toSorted(), all)
    t.strictSame(names("NetworkPolicy").toSorted(), [...all, "nothing"].toSorted())
    t.strictSame(names("Service").toSorted(), ["api", "auth-proxy", "dashboard"])
  },
)

t.test("W143: only the API's pods reach the signer's host", { skip }, async (t) => {
  const { manifests } = render()
  const reaching = manifests.filter(
    ({ kind, spec }) =>
      kind === "NetworkPolicy" &&
      spec.egress?.some(({ to, ports }) => to[0]?.ipBlock?.cidr === "10.0.0.5/32" && ports[0]?.port === 7443),
  )
  t.strictSame(
    reaching.map(({ metadata }) => metadata.name),
    ["wallet-api"],
  )
  // All other ways out leave private addresses out, where the signer's host is.
  const blocks = manifests.flatMap(({ spec }) => spec.egress ?? []).map(({ to }) => to[0]?.ipBlock)
  for (const block of blocks.filter((one) => one?.cidr === "0.0.0.0/0"))
    t.match(block, {
      except: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"],
    })
})

t.test("W143: no container is root, writes its image or gains rights", { skip }, async (t) => {
  for (const { metadata, spec } of deployments()) {
    const pod = spec.template.spec
    t.match(
      pod,
      {
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      },
      metadata.name,
    )
    for (const { securityContext } of [...pod.containers, ...(pod.initContainers ?? [])])
      t.strictSame(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      })
  }
})

t.test("each process accepts the settings of its pod, and finds a fault in others", { skip }, async (t) => {
  const tls = join(folder, "countersign-tls")
  mkdirSync(tls)
  for (const name of ["ca.crt", "api.crt", "api.key"]) writeFileSync(join(tls, name), "")
  const all = deployments()
  const altered = casesOf(1, all)
  for (const { metadata, spec } of all) {
    const name = metadata.name.replace("wallet-", "")
    const service = name === "dashboard" ? "dashboard-host" : name
    const set = (spec.template.spec.containers[0]?.env ?? []).map(({ name, value }) => [
      name,
      value?.replace("/run/countersign-tls", tls) ?? "postgres://u:p@database/countersign",
    ])
    const faults = (env: NodeJS.Dict<string>) =>
      spawnSync(process.execPath, [`services/${service}/check-settings.ts`], {
        cwd: ROOT,
        env,
        encoding: "utf8",
      }).stdout
    const environment = Object.fromEntries(set) as NodeJS.Dict<string>
    t.equal(faults(environment).trim(), "[]", name)
    if (altered.some((one) => one.metadata.name === metadata.name))
      t.match(faults({ ...environment, COUNTERSIGN_NO_SUCH: "1" }), /COUNTERSIGN_NO_SUCH/, name)
  }
})

t.test(
  "the auth proxy's pod copies its key to where the process reads it, for itself alone",
  { skip },
  async (t) => {
    const pod = deployments().find(({ metadata }) => metadata.name === "wallet-auth-proxy")?.spec.template
      .spec
    const [, , , script = ""] = pod?.initContainers?.[0]?.command ?? []
    const here = (path: string) =>
      path.replaceAll("/run/countersign-key", folder).replaceAll("/var/lib/countersign", folder)
    writeFileSync(join(folder, "key"), "the key", { mode: 0o644 })
    const { status, stderr } = spawnSync(process.execPath, ["-e", here(script)], { encoding: "utf8" })
    t.equal(status, 0, stderr)
    const settings = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: folder }
    const words = ["services/auth-proxy/check-settings.ts", "--list"]
    const listed = spawnSync(process.execPath, words, { cwd: ROOT, env: settings, encoding: "utf8" }).stdout
    t.match(listed, `"value":"${join(folder, "auth-proxy/key")}","source":"default","file":"readable"`)
  },
)

t.test("C-1801: helm refuses values that no process has, and a missing one", { skip }, async (t) => {
  for (const [more, message] of [
    ["api: { settings: { COUNTERSIGN_API_BODY_LIMIT: '1' } }", /COUNTERSIGN_API_BODY_LIMIT/],
    ["dashboard: { settings: { COUNTERSIGN_CHAINS: x } }", /COUNTERSIGN_CHAINS/],
    ["replica: 3", /replica/],
  ] as const) {
    const { status, stderr } = render(more)
    t.not(status, 0, more)
    t.match(stderr, message)
  }
  t.match(render("api: { settings: { COUNTERSIGN_LOG_LEVEL: debug } }").text, /value: "debug"/)
  const { status, stderr } = spawnSync(helm, ["template", "wallet", CHART, "--kube-version", KUBERNETES], {
    cwd: ROOT,
    encoding: "utf8",
  })
  t.not(status, 0)
  t.match(stderr, /signer.network: Does not match/)
})

const hasSchemas = hasProgram("python3", "-c", "import kubernetes_validate, yaml")
const withoutSchemas = skip || (hasSchemas ? false : "not run: no kubernetes-validate (PyPI)")

t.test(
  "schemas of Kubernetes accept each manifest, and no altered one",
  { skip: withoutSchemas },
  async (t) => {
    const judged = (text: string) =>
      spawnSync(
        "python3",
        [
          "-c",
          `import sys, yaml, kubernetes_validate
for manifest in yaml.safe_load_all(sys.stdin):
    if manifest: kubernetes_validate.validate(manifest, "${KUBERNETES}", strict=True)`,
        ],
        { input: text, encoding: "utf8" },
      )
    const { text } = render()
    const { status, stderr } = judged(text)
    t.equal(status, 0, stderr)
    for (const [from, to] of casesOf(1, [
      ["readOnlyRootFilesystem", "readOnlyRootFileSystem"],
      ["replicas: 2", "replicas: two"],
    ] as const))
      t.not(judged(text.replace(from, to)).status, 0, to)
  },
)
