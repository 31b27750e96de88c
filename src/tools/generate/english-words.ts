/** English words of software courses, most frequent first in each group: rank sets the frequency. */
export const NOUNS = `
error method request response server class object data value list application test database client code table query
service field function controller type user message file user entity string key parameter version page result example
library project name header body status resource endpoint interface exception configuration token session array id
column row order annotation constructor property package dependency repository model component thread connection
transaction event loop index cache path format output input book loan account product payment customer review comment
article member course lecture lesson image address number date time zone password role permission filter mapping record
instance variable argument expression statement condition branch commit container image network port host domain
cookie form button template view layout style script module import export build plugin environment profile property
schema migration constraint relation cascade proxy lock queue topic consumer producer broker partition offset batch
job scheduler task worker pool buffer stream channel socket protocol certificate signature hash salt algorithm node
tree graph edge leaf heap stack pointer reference garbage memory leak latency throughput benchmark metric log trace
span alert dashboard deployment cluster replica shard snapshot backup volume secret ingress gateway route rule policy
limit quota retry timeout deadline backoff circuit fallback bulkhead breaker mock stub fixture assertion coverage
suite runner pipeline stage artifact registry tag release branch merge conflict rebase patch diff hook linter
formatter compiler interpreter parser lexer grammar syntax operator closure lambda callback promise coroutine generator
iterator decorator prototype mixin trait enum union tuple slice struct macro generic wildcard bound variance inheritance
composition encapsulation abstraction polymorphism singleton factory builder adapter facade observer strategy visitor
command mediator memento aggregate invariant boundary context event projection saga outbox idempotency consistency
isolation durability atomicity serialization deserialization encoding charset locale collation currency rounding
precision overflow underflow float decimal integer byte bit mask shift checksum parity compression archive upload
download thumbnail preview carousel modal dropdown tooltip breadcrumb sidebar footer viewport breakpoint gradient
animation easing keyframe selector specificity flexbox grid margin padding baseline ligature font glyph icon palette
contrast accessibility landmark focus shortcut gesture swipe drawer router guard resolver interceptor directive pipe
signal store reducer selector effect hydration fragment portal suspense memo ref slot prop emit watcher computed mixin
tensor matrix vector gradient epoch layer kernel dropout optimizer regression classifier dataset label feature
embedding tokenizer corpus inference checkpoint quantization histogram percentile outlier median quartile sample
bias residual hypothesis notebook dataframe axis legend annotation seaborn facet scatter heatmap dendrogram
microcontroller interrupt firmware bootloader register peripheral oscillator resistor breadboard sensor actuator
hypervisor namespace cgroup syscall scheduler inode superblock journal mutex semaphore barrier spinlock futex epoll
quaternion shader rasterizer texture mipmap frustum voxel raycast collider rigidbody sprite tilemap navmesh
monad functor applicative catamorphism lens prism zipper trampoline fixpoint combinator church skolem
`
export const VERBS = `
use get return add create call send save read write change set make find show update delete load run test check
handle store pass map convert parse build start stop throw catch inject override extend implement validate configure
register connect fetch insert select join filter sort group merge split copy move rename remove replace cache expose
serialize deserialize encode decode encrypt sign verify deploy install import export compile debug log trace measure
mock assert commit rebase revert push pull clone schedule retry lock release publish subscribe consume route render
mount bind wrap annotate refactor extract inline allocate resize rotate compress upload download stream flush index
partition replicate shard migrate seed truncate normalize denormalize paginate batch throttle debounce memoize hydrate
interpolate tokenize quantize vectorize rasterize obfuscate transpile polyfill instrument profile containerize provision
`
export const ADJECTIVES = `
new same different right wrong empty simple correct default custom second last common separate single whole public
private static final nested optional required missing invalid valid local remote global unique multiple large small
slow fast clean safe lazy eager generic abstract immutable mutable synchronous asynchronous concurrent idempotent stateless
stateful transient persistent nullable recursive circular redundant deprecated experimental legacy distributed relational
hierarchical bidirectional unidirectional polymorphic anonymous implicit explicit reactive declarative imperative
deterministic ephemeral orthogonal monotonic commutative associative isomorphic headless serverless backward-compatible
`
export const TOOLS = `
Spring Java JSON Postman REST IntelliJ JPA Docker Git HTTP SQL MySQL Hibernate Gradle Maven Jackson Kotlin PostgreSQL
Redis React JavaScript TypeScript Python Linux Tomcat JUnit Mockito Lombok OAuth JWT Kubernetes AWS Nginx Kafka MongoDB
Thymeleaf QueryDSL Swagger OpenAPI GitHub Jenkins Flyway Liquibase GraphQL WebSocket RabbitMQ Elasticsearch Prometheus
Grafana Terraform Ansible Vue Angular Svelte Webpack Vite Babel ESLint Prettier Jest Cypress Playwright Selenium
Django Flask FastAPI Pandas NumPy PyTorch TensorFlow Jupyter Matplotlib Celery Airflow Spark Hadoop Flink Cassandra
DynamoDB Neo4j SQLite Oracle MariaDB Vault Consul Istio Envoy Traefik Caddy HAProxy Varnish Memcached Hazelcast Ehcache
Micronaut Quarkus Vertx Ktor Armeria Feign Retrofit Resilience4j MapStruct ModelMapper Gson Moshi Protobuf Avro Thrift
Rust Cargo Tokio Golang Gin Cobra Elixir Phoenix Erlang Haskell Clojure Scala Akka Zig Nim Julia Fortran COBOL Verilog
Arduino Zephyr Yocto Buildroot OpenCV Blender Unity Godot Vulkan OpenGL Emacs Neovim Tmux Zsh Fish Helix Kakoune
`
export const GIVEN_NAMES = `
Alex Maria John Anna David Laura Peter Nina Tom Sara Lukas Emma Daniel Julia Marco Elena Simon Clara Victor Irene Hugo
Alice Oscar Ingrid Felix Greta Ivan Olga Pavel Marta Diego Lucia Rafael Camila Kenji Yuki Wei Mei Arjun Priya Omar Layla
`
