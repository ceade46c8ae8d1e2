// A node of ROS 2 with Fast DDS, the implementation under rmw_fastrtps_cpp: drives by /cmd_vel and counts what arrives on
// /joint_states.
//
//     fastdds_client DOMAIN SECONDS      prints "N joint states of M joints, L lost, T s; from S readers"
#include <fastcdr/Cdr.h>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace eprosima::fastdds::dds;
using eprosima::fastcdr::Cdr;
using eprosima::fastcdr::FastBuffer;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SerializedPayload_t;

namespace {

struct Twist {
    double values[6] = {}; // linear, angular

    void write(Cdr &cdr) const
    {
        for (const double each : values) {
            cdr << each;
        }
    }
    void read(Cdr &cdr)
    {
        for (double &each : values) {
            cdr >> each;
        }
    }
};

struct JointState {
    int32_t sec = 0;
    uint32_t nanosec = 0;
    std::string frame;
    std::vector<std::string> name;
    std::vector<double> position, velocity, effort;

    void write(Cdr &cdr) const
    {
        cdr << sec << nanosec << frame << name << position << velocity << effort;
    }
    void read(Cdr &cdr)
    {
        cdr >> sec >> nanosec >> frame >> name >> position >> velocity >> effort;
    }
};

/// What a generator of Fast DDS would write for a type.
template <typename T> class Type : public TopicDataType {
public:
    explicit Type(const char *name)
    {
        setName(name);
        m_typeSize = 65536;
        m_isGetKeyDefined = false;
    }
    bool serialize(void *data, SerializedPayload_t *payload) override
    {
        FastBuffer buffer(reinterpret_cast<char *>(payload->data), payload->max_size);
        Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
        payload->encapsulation = CDR_LE;
        cdr.serialize_encapsulation();
        static_cast<const T *>(data)->write(cdr);
        payload->length = static_cast<uint32_t>(cdr.getSerializedDataLength());
        return true;
    }
    bool deserialize(SerializedPayload_t *payload, void *data) override
    {
        FastBuffer buffer(reinterpret_cast<char *>(payload->data), payload->length);
        Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
        cdr.read_encapsulation();
        static_cast<T *>(data)->read(cdr);
        return true;
    }
    std::function<uint32_t()> getSerializedSizeProvider(void *) override
    {
        return [this] { return m_typeSize; };
    }
    void *createData() override
    {
        return new T;
    }
    void deleteData(void *data) override
    {
        delete static_cast<T *>(data);
    }
    bool getKey(void *, InstanceHandle_t *, bool) override
    {
        return false;
    }
};

class Counter : public DataReaderListener {
public:
    std::atomic<int> count{0}, joints{0}, lost{0};
    std::atomic<double> time{0};

    void on_data_available(DataReader *reader) override
    {
        JointState state;
        SampleInfo info;
        while (reader->take_next_sample(&state, &info) == ReturnCode_t::RETCODE_OK) {
            if (info.valid_data) {
                count++;
                joints = static_cast<int>(state.name.size() == state.position.size() ? state.name.size() : 0);
                time = state.sec + 1e-9 * state.nanosec;
            }
        }
    }
    void on_sample_lost(DataReader *, const SampleLostStatus &status) override
    {
        lost = status.total_count;
    }
};

/// UDP on loopback alone, as `grouser ros2` has it.
DomainParticipant *make_participant(unsigned domain)
{
    const auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.emplace_back("127.0.0.1");
    DomainParticipantQos qos;
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    return DomainParticipantFactory::get_instance()->create_participant(domain, qos);
}

} // namespace

int main(int argc, char **argv)
{
    const unsigned domain = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 0;
    const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 5;
    DomainParticipant *node = make_participant(domain);
    if (node == nullptr) {
        return 1;
    }
    TypeSupport twist(new Type<Twist>("geometry_msgs::msg::dds_::Twist_"));
    TypeSupport state(new Type<JointState>("sensor_msgs::msg::dds_::JointState_"));
    twist.register_type(node);
    state.register_type(node);
    Topic *commands = node->create_topic("rt/cmd_vel", twist.get_type_name(), TOPIC_QOS_DEFAULT);
    Topic *joints = node->create_topic("rt/joint_states", state.get_type_name(), TOPIC_QOS_DEFAULT);
    DataWriter *writer = node->create_publisher(PUBLISHER_QOS_DEFAULT)->create_datawriter(commands, DATAWRITER_QOS_DEFAULT);
    Counter counter;
    DataReaderQos reliable = DATAREADER_QOS_DEFAULT;
    reliable.reliability().kind = RELIABLE_RELIABILITY_QOS;
    reliable.history().kind = KEEP_ALL_HISTORY_QOS;
    DataReader *reader = node->create_subscriber(SUBSCRIBER_QOS_DEFAULT)->create_datareader(joints, reliable, &counter);
    Twist command;
    command.values[0] = 0.1;
    command.values[5] = 0.05;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
        writer->write(&command);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    PublicationMatchedStatus matched;
    writer->get_publication_matched_status(matched);
    reader->set_listener(nullptr);
    std::printf("%d joint states of %d joints, %d lost, %.3f s; %d readers of /cmd_vel\n", counter.count.load(),
                counter.joints.load(), counter.lost.load(), counter.time.load(), matched.current_count);
    node->delete_contained_entities();
    DomainParticipantFactory::get_instance()->delete_participant(node);
    return 0;
}
