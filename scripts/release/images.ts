/** How the process of an image starts. Its command is a program of the archive, run by the archive's Node. */
export type ImageProcess = {
  command: readonly string[]
  environment: { readonly [name: string]: string }
  /** Folders that belong to the image's user: volumes that are mounted there begin so. */
  folders: readonly string[]
  port?: number
}

/** User and group of every image. */
export const IMAGE_USER = 10_001

const DATA = "var/lib/countersign"
const DATA_SETTING = { COUNTERSIGN_DATA_DIR: `/${DATA}` }
/** Nothing is made from text at run time, and no inherited prototype can be swapped. */
const TRUSTED = ["--disallow-code-generation-from-strings", "--disable-proto=throw"]
/** MiB of each half of the heap's young generation, as in services/dev/layout.ts. */
const YOUNG = "--max-semi-space-size=16"

/** Processes of the images, as those of the Dockerfile. */
export const IMAGES: { readonly [zone: string]: ImageProcess } = {
  signer: {
    command: [...TRUSTED, YOUNG, "signer/enclave/main.ts"],
    environment: { ...DATA_SETTING, COUNTERSIGN_SIGNER_LISTEN: "unix:/run/countersign/signer.sock" },
    folders: [DATA, "run/countersign"],
  },
  fetcher: {
    command: [...TRUSTED, "signer/fetcher/main.ts", "serve"],
    environment: {
      ...DATA_SETTING,
      COUNTERSIGN_FETCHER_LISTEN: "unix:/run/countersign-fetcher/fetcher.sock",
    },
    folders: [DATA, "run/countersign-fetcher"],
  },
  witness: {
    command: [...TRUSTED, "signer/witness/main.ts", "serve"],
    environment: {
      ...DATA_SETTING,
      COUNTERSIGN_WITNESS_LISTEN: "0.0.0.0:7380",
      COUNTERSIGN_WITNESS_BEHIND_PROXY: "true",
    },
    folders: [DATA],
    port: 7380,
  },
  api: {
    command: [YOUNG, "services/api/main.ts"],
    environment: { COUNTERSIGN_API_LISTEN: "0.0.0.0:8080" },
    folders: [DATA],
    port: 8080,
  },
  worker: { command: ["services/worker/main.ts"], environment: {}, folders: [] },
  "auth-proxy": {
    command: ["services/auth-proxy/main.ts"],
    environment: { ...DATA_SETTING, COUNTERSIGN_AUTH_PROXY_LISTEN: "0.0.0.0:8081" },
    folders: [DATA],
    port: 8081,
  },
  dashboard: {
    command: ["services/dashboard-host/main.ts"],
    environment: { COUNTERSIGN_DASHBOARD_LISTEN: "0.0.0.0:8082" },
    folders: [],
    port: 8082,
  },
}
