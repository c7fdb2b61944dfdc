# syntax=docker/dockerfile:1
# svc on the CPU. See docs/containers.md for how to build and run it.
ARG NODE_VERSION=22.23.3

FROM node:${NODE_VERSION}-bookworm-slim AS base

# Dependencies of svc as pinned in package-lock.json, without files for other platforms.
FROM base AS dependencies
WORKDIR /opt/svc
COPY package.json package-lock.json scripts/container-packages.mjs ./
# Every word of the list is an argument, a package with the version of package-lock.json.
# hadolint ignore=SC2046,DL3016
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --ignore-scripts \
 && npm install --no-save --save-prod --omit=dev --ignore-scripts $(node container-packages.mjs) \
 && find node_modules/onnxruntime-node/bin/napi-v* -mindepth 2 -maxdepth 2 \
        ! -path "*/linux/$(node --print process.arch)" -exec rm -r {} + \
 && find node_modules/node-web-audio-api -name '*.node' ! -name "*.linux-$(node --print process.arch)-gnu.node" -delete \
 && rm -rf node_modules/@libsql/*-musl

# svc itself, compiled and packed as for publishing.
FROM base AS build
RUN rm -f /etc/apt/apt.conf.d/docker-clean
# Pinned by the base image: its Debian release has one version of each of these.
# hadolint ignore=DL3008
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked \
    --mount=type=cache,target=/var/lib/apt/lists,sharing=locked \
    apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates g++ git make python3
WORKDIR /src
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY . .
RUN --mount=type=cache,target=/root/.npm \
    npm pack \
 && mkdir -p /opt/svc \
 && tar -xzf voxcpm-*.tgz -C /opt/svc --strip-components=1

FROM base
LABEL org.opencontainers.image.title="svc" \
      org.opencontainers.image.description="VoxCPM text-to-speech over HTTP and on the command line, on the CPU" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production \
    SVC_CACHE_DIR=/models \
    SVC_VOICE_DIR=/voices
# The M4A and AAC decoder links ALSA, although nothing is played here.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libasound2 \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --owner=node --group=node /models /voices /audio
# The layer that changes least comes first.
COPY --from=dependencies /opt/svc/node_modules /opt/svc/node_modules
COPY --from=build /opt/svc /opt/svc
# The user `node`, by number, so that a cluster can verify that it is not root.
USER 1000:1000
WORKDIR /audio
VOLUME ["/models", "/voices"]
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=2m --retries=3 \
    CMD ["node", "-e", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = 0; fetch('http' + (process.env.SVC_TLS_CERT ? 's' : '') + '://127.0.0.1:8000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell, so that SIGTERM reaches svc, which finishes running requests.
ENTRYPOINT ["node", "/opt/svc/bin/svc.js"]
CMD ["serve", "--host", "0.0.0.0"]
