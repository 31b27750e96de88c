import type { JudgedQuestion } from './korean-set.ts'

/**
 * Questions of a Spring and a React course, each with what people type who remember something else of it: other words, other
 * endings, slips, half of the words. Held out: written before the search was changed for such queries, and never tuned on.
 */
export const KOREAN_WORDINGS: readonly JudgedQuestion[] = [
  {
    title: '스프링 시큐리티 적용 후 로그인 페이지가 무한 리다이렉트됩니다',
    body: 'SecurityConfig에서 formLogin을 설정했는데 /login으로 계속 돌아옵니다. permitAll을 빠뜨리지 말라는 답을 보았습니다.',
    queries: ['security 설정했더니 로그인 화면 계속 반복', '로그인 페이지 무한 새로고침'],
  },
  {
    title: 'CORS 오류 때문에 프론트에서 API를 못 부릅니다',
    body: '로컬 3000번 포트의 리액트에서 8080 서버를 호출하면 Access-Control-Allow-Origin이 없다고 나옵니다.',
    queries: ['cors 에러 해결 방법', '리액트에서 서버 호출이 막혀요'],
  },
  {
    title: 'useEffect가 두 번 실행되는 이유가 뭔가요?',
    body: '콘솔에 로그가 두 번씩 찍힙니다. StrictMode를 지우면 한 번만 나오는데 지워도 되나요?',
    queries: ['유즈이펙트 두번 호출', '로그가 두 번 찍히는 현상'],
  },
  {
    title: 'useState로 바꾼 값이 바로 반영되지 않아요',
    body: 'setCount 바로 다음 줄에서 콘솔에 찍으면 이전 값이 나옵니다. 비동기라서 그런가요?',
    queries: ['setState 직후 이전 값 출력', '상태 변경이 즉시 적용 안됨'],
  },
  {
    title: 'map으로 목록을 그리는데 key 경고가 떠요',
    body: 'Each child in a list should have a unique key 라는 경고입니다. index를 써도 될까요?',
    queries: ['리스트 렌더링 key warning', '키 값으로 인덱스 써도 되나'],
  },
  {
    title: '영속성 컨텍스트에서 1차 캐시가 동작하는지 확인하고 싶습니다',
    body: '같은 트랜잭션에서 findById를 두 번 불렀는데 select가 한 번만 나갑니다. 강의 내용대로인가요?',
    queries: ['1차캐시 확인 방법', 'findById 여러번 select 한번'],
  },
  {
    title: '테스트 코드에서 데이터가 롤백되지 않고 남아 있습니다',
    body: '테스트 클래스에 @Transactional을 붙이지 않았더니 다음 테스트가 중복 키로 실패합니다.',
    queries: ['테스트 끝나도 데이타가 지워지지 않음', '테스트 중복 키 실패'],
  },
  {
    title: 'application.yml의 프로필을 로컬과 운영으로 나누는 방법',
    body: 'spring.profiles.active를 어디에 적어야 배포 서버에서 운영 설정을 읽나요?',
    queries: ['운영 로컬 설정 분리', 'yml profile 나누기'],
  },
  {
    title: '환경 변수에 둔 DB 비밀번호를 스프링이 못 읽습니다',
    body: 'DB_PASSWORD라고 적었는데 Could not resolve placeholder 예외가 납니다.',
    queries: ['placeholder 예외 환경변수', '디비 패스워드 읽지 못함'],
  },
  {
    title: '빈 순환 참조 오류로 서버가 뜨지 않습니다',
    body: '두 서비스가 서로를 생성자로 주입받고 있습니다. The dependencies of some of the beans form a cycle 이라고 나옵니다.',
    queries: ['bean cycle 에러 실행 안됨', '서비스끼리 서로 주입 순환'],
  },
  {
    title: '@Autowired 필드 주입 대신 생성자 주입을 쓰라는 이유',
    body: '강의에서는 생성자 주입을 권하시는데 테스트 말고 다른 장점도 있는지 궁금합니다.',
    queries: ['생성자주입 장점', '필드 주입을 쓰면 안되는 까닭'],
  },
  {
    title: 'Querydsl Q클래스가 생성되지 않아요',
    body: '스프링 부트 3으로 올린 뒤로 compileJava를 해도 build/generated 아래가 비어 있습니다. jakarta로 바꾸어야 하나요?',
    queries: ['쿼리dsl Q파일 안 만들어짐', '부트 3 올리고 generated 폴더 비어있음'],
  },
  {
    title: 'H2 콘솔에 접속하면 Database not found 오류',
    body: 'jdbc:h2:tcp://localhost/~/shop 으로 연결하려는데 데이터베이스 파일이 없다고 합니다.',
    queries: ['h2 접속 안됨', 'H2 데이터베이스 파일 없음 에러'],
  },
  {
    title: '포트 8080이 이미 사용 중이라고 합니다',
    body: 'Web server failed to start. 이전에 켠 서버를 끄지 않은 것 같은데 윈도우에서 어떻게 종료하나요?',
    queries: ['8080 already in use 프로세스 죽이기', '윈도우 서버 끄는법 포트'],
  },
  {
    title: '인텔리제이에서 한글 주석이 깨집니다',
    body: '다른 사람이 올린 프로젝트를 열면 주석만 물음표로 보입니다. 파일 인코딩을 바꾸어야 할까요?',
    queries: ['intellij 주석 한글깨짐', '인텔리제이 인코딩 변경'],
  },
  {
    title: 'JWT 토큰이 만료되면 자동으로 다시 발급받고 싶습니다',
    body: 'axios 인터셉터에서 401을 잡아 재발급 API를 부르는데 요청이 여러 번 나갑니다.',
    queries: ['토큰 만료시 재발급 자동 처리', 'axios interceptor 401 여러번'],
  },
  {
    title: '페이지를 새로고침하면 로그인 상태가 풀려요',
    body: '리덕스 스토어에 사용자를 담아 두었는데 F5를 누르면 사라집니다. 로컬 스토리지에 저장해야 하나요?',
    queries: ['새로고침 로그인 유지', 'redux 값이 F5 누르면 초기화'],
  },
  {
    title: '배포한 리액트 앱에서 주소를 직접 치면 404가 뜹니다',
    body: '홈에서 링크로 들어가면 되는데 /posts/1을 바로 열면 nginx가 404를 냅니다.',
    queries: ['react router 새로고침시 404', '엔진엑스 직접 주소 입력 못 찾음'],
  },
  {
    title: 'input에 글자를 칠 때마다 전체 컴포넌트가 다시 그려집니다',
    body: '목록이 길어지니 입력이 버벅입니다. useMemo나 React.memo를 어디에 써야 하나요?',
    queries: ['리렌더링 최적화 메모', '입력할때 버벅거림 느림'],
  },
  {
    title: '페치 조인을 쓰면 페이징이 안 된다는 경고가 나와요',
    body: 'HHH000104: firstResult/maxResults specified with collection fetch; applying in memory 라는 로그입니다.',
    queries: ['fetch join paging 경고', '컬렉션 패치조인 메모리에서 페이징'],
  },
]

/** Questions about other things in the same words: nobody looks for them. */
export const BESIDE_THEM: readonly JudgedQuestion[] = [
  ['게시글 목록을 최신순으로 정렬하려면', 'Pageable에 sort를 넘겼는데 로그를 보면 order by가 없습니다.'],
  ['파일 업로드 시 이미지가 깨져서 저장됩니다', '서버에 저장된 파일을 열면 깨진 이미지로 나옵니다.'],
  [
    '엔티티에 setter를 만들지 말라는 이유가 궁금해요',
    '값을 변경하는 메서드를 따로 두라고 하셨는데 실무에서도 그런가요?',
  ],
  ['DTO로 변환하는 코드는 서비스와 컨트롤러 중 어디에 두나요?', '두 군데 다 가능해 보여서 질문 드립니다.'],
  ['강의 자료의 소스 코드를 어디서 받나요?', '3강 자료 링크를 누르면 페이지를 찾을 수 없다고 합니다.'],
  ['테스트에서 MockBean이 주입되지 않습니다', '필드에 붙였는데 널이 나옵니다. 생성자로 받아야 하나요?'],
  ['그레이들 빌드가 너무 오래 걸려요', '의존성을 매번 다시 내려받는 것 같습니다. 캐시 설정이 필요한가요?'],
  [
    '폼 데이터를 보내면 415 오류가 납니다',
    'axios로 multipart 요청을 보내는데 서버에서 지원하지 않는 형식이라고 합니다.',
  ],
  [
    '리액트 라우터에서 이전 페이지로 돌아가는 방법',
    'navigate(-1)을 쓰면 새로고침된 것처럼 목록이 처음부터 나옵니다.',
  ],
  [
    'MySQL에 저장한 시간이 아홉 시간 차이 납니다',
    '서버와 데이터베이스의 시간대 설정을 바꾸어도 그대로입니다.',
  ],
  ['쿠키가 브라우저에 저장되지 않아요', 'SameSite와 Secure 설정을 하고 withCredentials도 켰습니다.'],
  ['커스텀 훅 이름은 꼭 use로 시작해야 하나요?', '이름을 바꾸어도 동작은 하는데 규칙 경고가 나옵니다.'],
  ['낙관적 락과 비관적 락 중 무엇을 써야 하나요?', '동시에 주문이 들어오면 재고가 맞지 않습니다.'],
  ['롬복이 동작하지 않습니다', '@Data를 붙였는데 메서드를 찾을 수 없다는 컴파일 오류가 납니다.'],
  ['스타일드 컴포넌트에 props를 넘기는 법', '버튼 색을 상태에 따라 변경하고 싶습니다.'],
].map(([title = '', body = '']) => ({ title, body, queries: [] }))
