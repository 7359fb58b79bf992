// Groups of test files that share a process (scripts/grouped-tests.ts). Starting tap, loading the tested code and compiling it
// costs more than most files do.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { ROOT } from "./run.ts"
import { loadedBy } from "./test-layers.ts"

/** Folders whose files change nothing of their process. */
const FOLDERS = [
  "test/architecture",
  "test/bench",
  "test/contract",
  "test/docs",
  "test/fuzz",
  "test/golden",
  "test/hostile",
  "test/model",
  "test/proto",
  "test/release",
  "test/services",
  "test/signer",
  "test/vectors",
]
/** Folders whose files mostly start systems. */
const SYSTEM_FOLDERS = ["test/clients", "test/dashboard", "test/e2e"]
/** Modules that start something once for all files of a process that import them, also through other files. */
const OF_DEV = ["test/services/cli/with-dev/shared-dev.ts", "test/harness/chromium.ts"]
const OF_SHARED_SYSTEM = "test/harness/shared-system.ts"
/** Files that run alone: a module that they import keeps what it started for one file, or changes the process. */
const ALONE = new Set<string>([
  "test/services/api/queries/sub-organization-submits.test.ts",
  "test/services/api/queries/sub-organizations.test.ts",
  // The dashboard's bundler sets NODE_ENV when it builds; hosts builds a whole release in its long form.
  "test/release/hosts.test.ts",
  "test/services/cli/dashboard.test.ts",
  "test/services/node/programs.test.ts",
  // solc listens to unhandled rejections.
  "test/vectors/contracts/contracts.test.ts",
])
/**
 * Files that run alone and take long, the longest first. They begin before all others: what begins last should be short, or
 * the places beside it stay empty.
 */
export const LONGEST = [
  "test/docs/commands.test.ts",
  "test/e2e/dev.test.ts",
  "test/services/worker/ethereum.test.ts",
  "test/e2e/images.test.ts",
  "test/e2e/webhook-faults.test.ts",
  "test/e2e/send-kills.test.ts",
  "test/simulation/simulation.test.ts",
  "test/e2e/backup-host.test.ts",
  "test/hostile/debugger.test.ts",
  "test/services/dev/embedded-postgres.test.ts",
] as const
/** Uses of the process that disturb no other file in it. A check compares the environment before and after each file. */
const HARMLESS = 'ts"|(?:arch|argv|env|execPath|getuid|kill|pid|platform|stdin\\.isTTY|versions)\\b'
/** A file that names one of these runs alone too. */
const OF_THE_PROCESS = new RegExp(
  `node:(?:worker_threads|cluster)|\\bprocess\\.(?=[a-z])(?!${HARMLESS})|\\bglobalThis\\b|\\bt\\.(?:capture|intercept)\\b`,
)

/** Files of one process: enough that starting it costs little, few enough that the processes stay equally long. */
export const GROUP_SIZE = 24
/** Files that start systems of their own take longest. */
const SYSTEM_GROUP_SIZE = 14
/** The system that these files share costs more than most of them. */
const SHARING_GROUP_SIZE = 24
/** Files of this run: another may run at the same time. */
const GROUPS = join(ROOT, ".tap", "groups", String(process.pid))

/**
 * The files for tap, which starts them in the order of their paths. Files made here each run one of the longest or a group;
 * others run alone. Files made here are removed when this process exits.
 */
export function groupedFiles(files: readonly string[]): string[] {
  const { alone, groups } = groupsOf(files)
  const longest = LONGEST.filter((file) => alone.includes(file))
  mkdirSync(GROUPS, { recursive: true })
  process.once("exit", () => rmSync(GROUPS, { recursive: true, force: true }))
  const begun = [
    ...longest.map(longFile),
    ...groups.map((group, index) => groupFile(group, longest.length + index)),
  ]
  return [...begun, ...alone.filter((file) => !longest.some((one) => one === file))]
}

/** Each file once: alone, or in a group with neighbours, which use most of the same code. */
export function groupsOf(files: readonly string[]): { alone: string[]; groups: string[][] } {
  const {
    ofDev = [],
    ofSharedSystem = [],
    ofSystem = [],
    ofProcess = [],
    alone = [],
  } = Object.groupBy([...new Set(files)].toSorted(), groupingOf)
  return {
    alone,
    groups: [
      ...inParts(ofDev, SHARING_GROUP_SIZE),
      ...inParts(ofSharedSystem, SHARING_GROUP_SIZE),
      ...inParts(ofSystem, SYSTEM_GROUP_SIZE),
      ...inParts(ofProcess, GROUP_SIZE),
    ],
  }
}

export function sharesProcess(file: string): boolean {
  return groupingOf(file) !== "alone"
}

type Grouping = "ofDev" | "ofSharedSystem" | "ofSystem" | "ofProcess" | "alone"

/**
 * The kind of group of a test file: files share a development system and a browser, a running system, only their process, or
 * nothing. A process of files with systems of their own has fewer files.
 */
function groupingOf(file: string): Grouping {
  const isIn = (folders: readonly string[]) =>
    folders.some((one) => file === one || file.startsWith(`${one}/`))
  if (ALONE.has(file) || LONGEST.some((one) => one === file) || !isIn([...FOLDERS, ...SYSTEM_FOLDERS]))
    return "alone"
  if (OF_THE_PROCESS.test(readFileSync(join(ROOT, file), "utf8"))) return "alone"
  const loaded = loadedBy(file)
  if (OF_DEV.some((one) => loaded.includes(one))) return "ofDev"
  if (loaded.includes(OF_SHARED_SYSTEM)) return "ofSharedSystem"
  return isIn(SYSTEM_FOLDERS) ? "ofSystem" : "ofProcess"
}

function inParts(files: readonly string[], size: number): string[][] {
  const count = Math.ceil(files.length / size)
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size))
}

function groupFile(files: readonly string[], index: number): string {
  return madeFile(index, "", (to) => [
    `import { runTests } from ${JSON.stringify(to("scripts/grouped-tests.ts"))}`,
    `await runTests(${JSON.stringify(files)})`,
  ])
}

/** The file that a made file runs alone; undefined for groups, and for files that were not made here. */
export function fileOfGroup(made: string): string | undefined {
  return LONGEST.find((file) => made.startsWith(".tap/groups/") && made.endsWith(`${nameOf(file)}.test.ts`))
}

/** Runs one file as if it were started itself; the name says which. */
function longFile(file: string, index: number): string {
  return madeFile(index, nameOf(file), (to) => [`import ${JSON.stringify(to(file))}`])
}

function nameOf(file: string): string {
  return `-${file.replaceAll("/", "-").replace(/\.test\.ts$/, "")}`
}

function madeFile(index: number, name: string, lines: (to: (path: string) => string) => string[]): string {
  const path = join(GROUPS, `${String(index + 1).padStart(2, "0")}${name}.test.ts`)
  const to = (target: string) => relative(dirname(path), join(ROOT, target))
  writeFileSync(path, `${lines(to).join("\n")}\n`)
  return relative(ROOT, path)
}
