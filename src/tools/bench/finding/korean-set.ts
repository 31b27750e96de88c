/** A Korean question and queries for it: particles, spacing, mixed script, loanwords, short words. */
export interface JudgedQuestion {
  readonly title: string
  readonly body: string
  readonly queries: readonly string[]
}

/** Written for this benchmark, on the sample course's subject. */
export const KOREAN_SET: readonly JudgedQuestion[] = [
  {
    title: '응답 본문이 비어서 내려옵니다',
    body: '컨트롤러에서 객체를 반환했는데 클라이언트가 받는 본문은 빈 중괄호입니다. 게터가 없어서 그런가요?',
    queries: ['응답본문', '본문이 비어', '빈 본문', '게터가 없으면'],
  },
  {
    title: 'JSON으로 날짜를 보내면 배열로 바뀌어요',
    body: 'LocalDate 필드가 [2024, 3, 1] 같은 배열로 직렬화됩니다. 문자열로 받고 싶습니다.',
    queries: ['JSON 날짜 배열', '날짜를 문자열로', 'LocalDate 직렬화', '날짜가 배열'],
  },
  {
    title: '번역을 여러 언어로 제공하려면 어떤 헤더를 쓰나요?',
    body: '같은 자원을 한국어와 영어로 내려주고 싶습니다. Accept-Language 헤더로 협상하면 될까요?',
    queries: ['번역', '번역은', '언어 협상 헤더', 'Accept-Language'],
  },
  {
    title: 'POST요청을 두 번 보내면 책이 두 권 생깁니다',
    body: '느린 네트워크에서 버튼을 다시 누르면 중복으로 저장됩니다. 멱등성 키를 어떻게 설계하나요?',
    queries: ['POST 요청 중복', 'POST요청', '멱등성', '중복 저장'],
  },
  {
    title: '예외가 나면 서버의 HTML 오류 페이지가 보입니다',
    body: 'ExceptionMapper를 등록했는데 호출되지 않습니다. 예외를 JSON으로 돌려주고 싶어요.',
    queries: ['예외', '예외를 JSON으로', 'ExceptionMapper 호출', '오류 페이지'],
  },
  {
    title: '페이지네이션에서 마지막 페이지를 어떻게 알 수 있나요?',
    body: '커서 방식으로 목록을 나누었는데 다음 페이지가 없다는 것을 클라이언트가 모릅니다.',
    queries: ['페이지네이션', '마지막 페이지', '커서 방식', '다음페이지'],
  },
  {
    title: '캐시가 남아서 수정한 값이 보이지 않아요',
    body: 'ETag를 붙였는데도 브라우저가 오래된 응답을 보여 줍니다. 캐시를 무효화하는 방법이 궁금합니다.',
    queries: ['캐시', '캐시 무효화', 'ETag 오래된 응답', '수정한 값'],
  },
  {
    title: '검증에 실패했을 때 어느 필드인지 알려 주고 싶습니다',
    body: '@Valid 검증이 실패하면 400은 오지만 필드 이름이 없습니다.',
    queries: ['검증 실패', '@Valid', '필드 이름', '검증을'],
  },
  {
    title: '트랜잭션이 롤백되지 않습니다',
    body: '서비스에서 체크 예외를 던졌는데 데이터베이스에는 그대로 저장됩니다.',
    queries: ['트랜잭션', '트랜잭션 롤백', '롤백이', '체크예외'],
  },
  {
    title: '순환 참조 때문에 스택이 넘칩니다',
    body: '저자와 책이 서로를 가지고 있어 직렬화할 때 StackOverflowError가 납니다.',
    queries: ['순환참조', '스택 오버플로', 'StackOverflowError', '저자와 책'],
  },
  {
    title: '로그인한 사용자의 권한을 컨트롤러에서 확인하는 법',
    body: '관리자만 책을 지울 수 있게 하려면 권한 검사를 어디에 두어야 하나요?',
    queries: ['권한', '권한검사', '관리자만 삭제', '로그인 사용자 권한'],
  },
  {
    title: '프록시 뒤에서 Location 헤더가 localhost로 나옵니다',
    body: 'nginx 뒤에서 실행하면 새로 만든 자원의 주소가 잘못됩니다.',
    queries: ['프록시', 'Location 헤더', 'nginx 뒤에서', '자원의 주소'],
  },
  {
    title: '널을 보낸 필드와 보내지 않은 필드를 구분하기',
    body: 'PATCH로 일부만 고칠 때 null과 생략을 다르게 처리해야 합니다.',
    queries: ['널', 'PATCH null', '생략한 필드', '일부만 수정'],
  },
  {
    title: '테스트에서는 404인데 브라우저에서는 됩니다',
    body: 'MockMvc로 같은 주소를 호출하면 찾을 수 없다고 나옵니다.',
    queries: ['테스트 404', 'MockMvc', '브라우저에서는'],
  },
  {
    title: '비밀번호를 응답에서 빼고 싶어요',
    body: '엔티티를 그대로 반환하니 비밀번호 해시까지 나갑니다. DTO를 만들어야 하나요?',
    queries: ['비밀번호', '비밀번호를 빼고', '엔티티 그대로 반환', 'DTO'],
  },
  {
    title: '동시에 수정하면 나중 사람이 이깁니다',
    body: '두 사서가 같은 책을 고치면 먼저 저장한 내용이 사라집니다. 낙관적 잠금을 쓰면 되나요?',
    queries: ['동시 수정', '낙관적 잠금', '낙관적잠금', '내용이 사라'],
  },
  {
    title: '파일을 올리면 용량 제한에 걸립니다',
    body: '표지 그림을 업로드할 때 413이 납니다. 제한을 늘리는 설정을 찾고 있습니다.',
    queries: ['용량 제한', '파일 업로드', '413', '표지 그림'],
  },
  {
    title: '버전을 주소에 넣을까요, 헤더에 넣을까요?',
    body: 'API 버전 관리 방법을 정해야 합니다. 미디어 타입으로도 할 수 있다고 들었습니다.',
    queries: ['버전', '버전관리', 'API 버전', '미디어 타입'],
  },
  {
    title: '값이 음수면 어떤 상태 코드를 돌려주나요?',
    body: '수량이 0보다 작을 때 400과 422 중 무엇이 맞는지 모르겠습니다.',
    queries: ['값', '음수 상태코드', '400 422', '수량'],
  },
  {
    title: '한글이 깨져서 물음표로 보입니다',
    body: '응답의 인코딩이 UTF-8이 아닌 것 같습니다. Content-Type에 charset을 붙여야 하나요?',
    queries: ['한글 깨짐', '한글이', '인코딩', 'Content-Type charset'],
  },
]
