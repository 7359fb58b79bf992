# syntax=docker/dockerfile:1
# One image per trust zone. TypeScript runs as it is: only the dashboard's pages are built.

# The packages of each zone: `npm run generate` takes the lock files from the project's own. No install scripts: what they
# would build comes prebuilt.
FROM node:24-slim AS signer-packages
WORKDIR /app
COPY images/signer ./
RUN npm ci --ignore-scripts

FROM node:24-slim AS fetcher-packages
WORKDIR /app
COPY images/fetcher ./
RUN npm ci --ignore-scripts

FROM node:24-slim AS api-packages
WORKDIR /app
COPY images/api ./
COPY scripts/patch-postgres.js scripts/postgres-patches.js ./scripts/
# The project's own script mends the database driver.
RUN npm ci --ignore-scripts && node scripts/patch-postgres.js

FROM node:24-slim AS worker-packages
WORKDIR /app
COPY images/worker ./
COPY scripts/patch-postgres.js scripts/postgres-patches.js ./scripts/
RUN npm ci --ignore-scripts && node scripts/patch-postgres.js

FROM node:24-slim AS auth-proxy-packages
WORKDIR /app
COPY images/auth-proxy ./
RUN npm ci --ignore-scripts

FROM node:24-slim AS dashboard-packages
WORKDIR /app
COPY images/dashboard ./
RUN npm ci --ignore-scripts

FROM node:24-slim AS dashboard-build-packages
WORKDIR /app
COPY images/dashboard-build ./
RUN npm ci --ignore-scripts

# The dashboard's pages. The bundler and the packages that it bundles stay in this stage.
FROM node:24-slim AS dashboard-build
WORKDIR /app
COPY --from=dashboard-build-packages /app/node_modules ./node_modules
COPY package.json ./
COPY proto ./proto
COPY signer/core ./signer/core
COPY services/dashboard ./services/dashboard
COPY services/dev/build-dashboard.ts services/dev/built-dashboard.ts ./services/dev/
COPY services/common/certificate-days.ts ./services/common/
COPY services/common/log-bundle.ts ./services/common/
COPY scripts/build-dashboard.ts ./scripts/
RUN node scripts/build-dashboard.ts

FROM node:24-slim AS base
# Node opens no debugger on SIGUSR1, also in commands that `docker exec` runs. The programs below say it themselves too:
# a NODE_OPTIONS of the operator replaces this one.
ENV NODE_ENV=production \
    NODE_OPTIONS=--disable-sigusr1
WORKDIR /app
# npm, yarn and corepack are for installing; what runs does not need them.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* \
 && groupadd --gid 10001 countersign \
 && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin countersign
COPY package.json ./
COPY proto ./proto

# Holds the root seed. No network, no writable file but its volume: see docker-compose.yml.
FROM base AS signer
COPY --from=signer-packages /app/node_modules ./node_modules
COPY signer/core ./signer/core
COPY signer/process ./signer/process
COPY signer/enclave ./signer/enclave
COPY signer/operator ./signer/operator
# Volumes that are mounted here begin with this owner and mode.
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/countersign /run/countersign
USER 10001:10001
ENV COUNTERSIGN_DATA_DIR=/var/lib/countersign \
    COUNTERSIGN_SIGNER_LISTEN=unix:/run/countersign/signer.sock
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s CMD ["node", "--disable-sigusr1", "signer/operator/main.ts", "status"]
# Nothing is made from text at run time, and no inherited prototype can be swapped.
CMD ["node", "--disable-sigusr1", "--disallow-code-generation-from-strings", "--disable-proto=throw", "--max-semi-space-size=16", "signer/enclave/main.ts"]

# Holds a seed of its own, which has nothing to do with the root seed. The only trusted process that calls out.
FROM base AS fetcher
COPY --from=fetcher-packages /app/node_modules ./node_modules
COPY signer/core ./signer/core
COPY signer/process ./signer/process
COPY signer/fetcher ./signer/fetcher
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/countersign /run/countersign-fetcher
USER 10001:10001
ENV COUNTERSIGN_DATA_DIR=/var/lib/countersign \
    COUNTERSIGN_FETCHER_LISTEN=unix:/run/countersign-fetcher/fetcher.sock
CMD ["node", "--disable-sigusr1", "--disallow-code-generation-from-strings", "--disable-proto=throw", "signer/fetcher/main.ts", "serve"]

# Cosigns heads of logs on a host of another party. It has no packages, and knows no deployment but the keys of its logs.
FROM base AS witness
COPY signer/core ./signer/core
COPY signer/process ./signer/process
COPY signer/witness ./signer/witness
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/countersign
USER 10001:10001
# A TLS proxy is in front of the container's port.
ENV COUNTERSIGN_DATA_DIR=/var/lib/countersign \
    COUNTERSIGN_WITNESS_LISTEN=0.0.0.0:7380 \
    COUNTERSIGN_WITNESS_BEHIND_PROXY=true
EXPOSE 7380
CMD ["node", "--disable-sigusr1", "--disallow-code-generation-from-strings", "--disable-proto=throw", "signer/witness/main.ts", "serve"]

FROM base AS api
COPY --from=api-packages /app/node_modules ./node_modules
COPY signer/core ./signer/core
COPY services/policy-advice ./services/policy-advice
COPY services/common ./services/common
COPY services/chains ./services/chains
COPY services/database ./services/database
COPY services/api ./services/api
COPY services/node ./services/node
# The guides, which it shows as pages at /docs.
COPY README.md ./
COPY docs ./docs
COPY services/dashboard/public ./services/dashboard/public
# On two hosts a volume with the key and certificate of mutual TLS is mounted here.
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/countersign
USER 10001:10001
ENV COUNTERSIGN_API_LISTEN=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s \
  CMD ["node", "--disable-sigusr1", "-e", "fetch('http://localhost:8080/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-sigusr1", "--max-semi-space-size=16", "services/api/main.ts"]

# Broadcasts signed transactions and follows them. It holds the database and roads to nodes, and no road to the signer.
FROM base AS worker
COPY --from=worker-packages /app/node_modules ./node_modules
COPY signer/core ./signer/core
COPY services/common ./services/common
COPY services/chains ./services/chains
COPY services/database ./services/database
COPY services/worker ./services/worker
COPY services/node ./services/node
USER 10001:10001
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s \
  CMD ["node", "--disable-sigusr1", "-e", "fetch('http://localhost:8083/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-sigusr1", "services/worker/main.ts"]

# Holds a key of its own, and no database and no door to the signer.
FROM base AS auth-proxy
COPY --from=auth-proxy-packages /app/node_modules ./node_modules
COPY signer/core ./signer/core
COPY services/common ./services/common
COPY services/auth-proxy ./services/auth-proxy
COPY services/node ./services/node
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/countersign
USER 10001:10001
ENV COUNTERSIGN_DATA_DIR=/var/lib/countersign \
    COUNTERSIGN_AUTH_PROXY_LISTEN=0.0.0.0:8081
EXPOSE 8081
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s \
  CMD ["node", "--disable-sigusr1", "-e", "fetch('http://localhost:8081/livez').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-sigusr1", "services/auth-proxy/main.ts"]

# Serves the dashboard's pages, which run in browsers. It holds no key, and reaches no other process.
FROM base AS dashboard
COPY --from=dashboard-packages /app/node_modules ./node_modules
COPY signer/core ./signer/core
COPY services/common ./services/common
COPY services/dashboard-host ./services/dashboard-host
COPY services/node ./services/node
COPY --from=dashboard-build /app/services/dashboard/dist ./services/dashboard/dist
USER 10001:10001
ENV COUNTERSIGN_DASHBOARD_LISTEN=0.0.0.0:8082
EXPOSE 8082
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s \
  CMD ["node", "--disable-sigusr1", "-e", "fetch('http://localhost:8082/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-sigusr1", "services/dashboard-host/main.ts"]
