# Image for the worker, the HTTP server and every other command, given as the first argument. scripts/check-image-steps.ts runs its steps without Docker.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# The script `prepare` builds the page from sources that are not here yet; the build below includes it.
RUN npm pkg delete scripts.prepare && npm ci --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /install
COPY package.json package-lock.json ./
RUN npm pkg delete scripts.prepare && npm ci --omit=dev --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git socat tini \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node -m 0700 /var/lib/adjutant \
  && install -d -o node -g node /workspace
WORKDIR /opt/adjutant
COPY --from=dependencies /install/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY bin ./bin
COPY --from=build /build/web/dist ./web/dist
COPY examples ./examples
COPY package.json LICENSE ./
ENV NODE_ENV=production \
  ADJUTANT_DATA_DIR=/var/lib/adjutant \
  XDG_CACHE_HOME=/var/lib/adjutant/cache
WORKDIR /workspace
USER node
# `--build-arg TEMPORAL=embedded` adds the Temporal program to the image (250 MB), for containers that start their own server.
ARG TEMPORAL=external
RUN if [ "$TEMPORAL" = embedded ]; then node /opt/adjutant/bin/adjutant.js doctor --prepare; fi
EXPOSE 7420
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7420/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "/opt/adjutant/bin/adjutant.js"]
CMD ["serve", "--host", "0.0.0.0"]
